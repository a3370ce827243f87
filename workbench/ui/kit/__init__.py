"""What pages are made of: the address, questions, figures, forms, notices, words. It imports no other package of ui."""
