"""A directive that writes the reference of the command line and of the functions from the registry and the commands themselves."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from reenact.cli.reference import VerbReference, command_reference


class CommandReference(SphinxDirective):
    """`{command-reference}`: one section per verb with its arguments, options and Python function."""

    def run(self) -> list[nodes.Node]:
        """Make the sections."""
        return [make_section(one) for one in command_reference()]


def make_section(one: VerbReference) -> nodes.section:
    """A verb as a section."""
    section = nodes.section(ids=[f"reenact-{one.name.replace(' ', '-')}"])
    section += nodes.title(text=f"reenact {one.name}")
    section += nodes.paragraph(text=one.help)
    if one.function:
        section += nodes.paragraph("", "In Python: ", nodes.literal(text=one.example))
        section += nodes.literal_block(text=one.function, language="python")
    listed = nodes.definition_list()
    for label, text in one.options:
        item = nodes.definition_list_item()
        item += nodes.term("", "", nodes.literal(text=label))
        item += nodes.definition("", nodes.paragraph(text=text))
        listed += item
    section += listed
    return section


def setup(app) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
