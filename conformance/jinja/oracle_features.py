"""The names of filters, tests, methods, calls and statements a template uses: the `features` of a recorded case."""

import jinja2
from jinja2 import nodes

STATEMENT_FREE = (nodes.Output, nodes.Template, nodes.TemplateData)


def features(environment, source):
    try:
        tree = environment.parse(source)
    except jinja2.TemplateSyntaxError:
        return ["syntax-error"]
    found = set()
    for node in tree.find_all(nodes.Node):
        found.update(feature_of(node))
    return sorted(found)


def feature_of(node):
    if isinstance(node, nodes.Filter):
        yield f"filter:{node.name}"
    elif isinstance(node, nodes.Test):
        yield f"test:{node.name}"
    elif isinstance(node, nodes.CondExpr):
        yield "inline-if"
    elif isinstance(node, nodes.Slice):
        yield "slice"
    elif isinstance(node, nodes.Compare) and len(node.ops) > 1:
        yield "chained-compare"
    elif isinstance(node, nodes.Call):
        if isinstance(node.node, nodes.Getattr):
            yield f"method:{node.node.attr}"
        elif isinstance(node.node, nodes.Name):
            yield f"call:{node.node.name}"
    elif isinstance(node, nodes.Stmt) and not isinstance(node, STATEMENT_FREE):
        yield f"stmt:{type(node).__name__.lower()}"
