"""The only package that imports Streamlit.

`kit` is what every page is made of. `targets`, `corpora`, `pipelines` and `configs` are each what several pages ask for in the
same way. The others belong to one page, which alone imports them.
"""
