"""No module imports itself by way of others, imports inside functions included and those for types alone aside."""

import grimp

NOT_YET = "workbench.jobs"
"""What is being taken apart: circles of modules in it are not looked at."""


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules of which each reaches every other: Tarjan's strongly connected components of more than one."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    groups: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        path.append(module)
        for other in sorted(imports[module]):
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in path:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            start = path.index(module)
            if len(group := path[start:]) > 1:
                groups.append(sorted(group))
            del path[start:]

    for module in sorted(imports):
        if module not in number:
            visit(module)
    return groups


def test_circles_are_seen():
    chain = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": set[str]()}
    assert circles(chain) == [["a", "b", "c"]]


def test_no_module_imports_itself_by_way_of_others():
    graph = grimp.build_graph("workbench", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert [group for group in circles(imports) if not all(module.startswith(NOT_YET) for module in group)] == []
