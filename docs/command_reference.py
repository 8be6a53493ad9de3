"""A directive that writes the reference of the command line from the commands themselves."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from reenact.cli.main import _verbs, build_command


class CommandReference(SphinxDirective):
    """`{command-reference}`: one section per verb with its arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Make the sections."""
        sections: list[nodes.Node] = []
        for verb, (_, help_line) in _verbs().items():
            command = build_command(verb)
            children = getattr(command, "commands", None)
            if children:
                for name, child in children.items():
                    sections.append(self._section(f"{verb} {name}", child, child.help or ""))
            else:
                sections.append(self._section(verb, command, help_line))
        return sections

    def _section(self, name: str, command, help_line: str) -> nodes.section:
        section = nodes.section(ids=[f"reenact-{name.replace(' ', '-')}"])
        section += nodes.title(text=f"reenact {name}")
        section += nodes.paragraph(text=" ".join(help_line.split()))
        listed = nodes.definition_list()
        for parameter in command.params:
            if parameter.name == "help":
                continue
            words = [*parameter.opts, *parameter.secondary_opts]
            label = (
                ", ".join(words)
                if parameter.param_type_name == "option"
                else (parameter.metavar or parameter.name).upper()
            )
            item = nodes.definition_list_item()
            item += nodes.term("", "", nodes.literal(text=label))
            text = (getattr(parameter, "help", "") or "").replace("\\[", "[")
            default = parameter.default
            if default not in (None, False, (), []) and not callable(default):
                text += f" Default: {default}."
            item += nodes.definition("", nodes.paragraph(text=text))
            listed += item
        section += listed
        return section


def setup(app) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
