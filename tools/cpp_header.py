"""Parses the declarations of a C++ header formatted by clang-format, for tools/docs_reference.

read_header returns the opening comment and the groups of a header. It skips bodies, private and protected members,
namespaces `detail`, forward declarations, friends, copy operations and destructors.
"""

import dataclasses
import re


@dataclasses.dataclass
class Declaration:
    text: str                  # without body, on one line
    note: str = ""             # the comment after the declaration, on its line
    kind: str = "function"     # function, data, type (a class, struct or union), enum, alias
    name: str = ""
    scope: str = ""            # its namespace inside espalier
    groups: list = dataclasses.field(default_factory=list)  # public members of a type; one group for an enum


@dataclasses.dataclass
class Group:
    comment: list              # lines
    declarations: list


def expand_lists(text, lists):
    """Replaces LIST(MACRO), where LIST is a list of op/list.h, by the declarations it expands to."""
    macros, lines, result = {}, text.split("\n"), []
    i = 0
    while i < len(lines):
        line = lines[i]
        while line.startswith("#") and line.endswith("\\"):
            i += 1
            line = line[:-1] + lines[i]
        i += 1
        macro = re.match(r"#define (\w+)\(([^)]*)\) (.*)", line)
        use = re.fullmatch(r"(\w+)\((\w+)\)", line.strip())
        if macro:
            macros[macro[1]] = ([name.strip() for name in macro[2].split(",")], re.sub(r"\s+", " ", macro[3]))
        elif use and use[1] in lists and use[2] in macros:
            names, body = macros[use[2]]
            for arguments in lists[use[1]]:
                made = body
                for name, argument in zip(names, arguments):
                    made = re.sub(rf"\b{name}\b", argument, made)
                result += [part.strip() + (";" if "{" not in part else "") for part in re.split(r";(?=\s|$)(?![^{]*})", made)
                           if part.strip()]
        elif not line.startswith("#"):
            result.append(line)
    return "\n".join(result)


def read_lists(text):
    """{list of op/list.h: the arguments of each of its X(…)}."""
    joined = text.replace("\\\n", " ")
    return {name: [[a.strip() for a in x.split(",")] for x in re.findall(r"\bX\(([^)]*)\)", body)]
            for name, body in re.findall(r"^#define (\w+)\(X\)(.*)$", joined, re.MULTILINE)}


class Reader:
    """Reads the declarations of one header; relies on the layout of clang-format."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self, opening, closing):
        """Moves past the bracket that closes the one at `at`."""
        depth = 0
        while self.at < len(self.text):
            c = self.text[self.at]
            if c in "\"'" and not (c == "'" and self.text[self.at - 1].isdigit()):
                self.at = re.compile(r"(['\"])(?:\\.|(?!\1).)*\1", re.DOTALL).match(self.text, self.at).end()
                continue
            if self.text.startswith("//", self.at):
                self.at = self.text.find("\n", self.at)
                continue
            depth += (c == opening) - (c == closing)
            self.at += 1
            if depth == 0:
                return

    def declaration(self):
        """(text up to the body or the semicolon, whether a body follows)."""
        begin, depth, kept = self.at, 0, []
        while True:
            c = self.text[self.at]
            before = "".join(kept).rstrip()
            if self.text.startswith("//", self.at):
                self.at = self.text.find("\n", self.at)
                continue
            if c in "\"'" and not (c == "'" and self.text[self.at - 1].isdigit()):
                literal = re.compile(r"(['\"])(?:\\.|(?!\1).)*\1", re.DOTALL).match(self.text, self.at)
                kept.append(literal[0])
                self.at = literal.end()
                continue
            if c == "{" and depth == 0 and self.text[self.at - 1] in " \n":
                requirement = re.search(r"\brequires(\s*\([^{}]*\))?$", before)
                if not requirement and not before.endswith("="):
                    return before, True
            if c == "{":
                start = self.at
                self.skip("{", "}")
                kept.append(self.text[start:self.at])
                continue
            depth += (c in "([") - (c in ")]")
            if c == ";" and depth == 0:
                self.at += 1
                return before, False
            kept.append(c)
            self.at += 1
            assert self.at < len(self.text), f"a declaration without an end: {self.text[begin:begin + 80]!r}"

    def note(self):
        """The comment after a declaration, with its continuation lines."""
        found = re.compile(r"[ ]*// ?(.*)\n").match(self.text, self.at)
        if not found:
            return ""
        column = found.start() + found[0].index("//") - self.text.rfind("\n", 0, self.at) - 1
        words, self.at = [found[1]], found.end() - 1
        more = re.compile(r"\n {%d}// ?(.*)(?=\n)" % column)
        while column > 2 and (found := more.match(self.text, self.at)):
            words.append(found[1])
            self.at = found.end()
        return " ".join(words).strip()

    def scope(self, namespace, is_class, is_public, class_name=""):
        """The groups of a namespace or class, up to its closing brace."""
        groups, comment, last = [], [], None
        library_only = False

        def add(declaration):
            nonlocal comment, last
            if last is None or comment:
                last = Group(comment, [])
                groups.append(last)
                comment = []
            last.declarations.append(declaration)

        while True:
            space = re.compile(r"[ \t\n]*").match(self.text, self.at)
            if space[0].count("\n") > 1:
                if comment and is_public and not library_only:
                    groups.append(Group(comment, []))
                comment, last, library_only = [], None, False
            self.at = space.end()
            if self.at >= len(self.text):
                return groups
            rest = self.text[self.at:self.at + 4000]
            if rest[0] == "}":
                self.at += len(re.match(r"\}(?: *// namespace.*)?", rest)[0])
                return groups
            if rest.startswith("//"):
                line = rest[2:].split("\n", 1)[0]
                if not comment:
                    last, library_only = None, line.strip().startswith("For the library")
                comment.append(line[1:] if line.startswith(" ") else line)
                self.at += 2 + len(line)
                continue
            if access := re.match(r"(public|private|protected):", rest):
                is_public, comment, last = access[1] == "public", [], None
                self.at += len(access[0])
                continue
            if inner := re.match(r"(?:inline )?namespace ([\w:]*)\s*\{", rest):
                self.at += len(inner[0])
                name = inner[1].removeprefix("espalier").removeprefix("::")
                inside = "::".join(part for part in (namespace, name) if part)
                found = self.scope(inside, False, True)
                if "detail" not in inside.split("::"):
                    groups += found
                comment, last = [], None
                continue
            text, has_body = self.declaration()
            text = re.sub(r"\s+", " ", re.sub(r"\[\[.*?\]\]", "", text)).strip()
            made = None
            head = re.match(r"(?:template <.*?> (?:requires .*? )?)?(class|struct|union|enum class|enum) (?:ESPALIER_API )?"
                            r"([\w:]+(?:<.*?>)?(?= :| final|$))", text) if has_body else None
            if head and head[1].startswith("enum"):
                made = Declaration(text, kind="enum", name=head[2], scope=namespace, groups=[self.enumerators()])
            elif head:
                self.at += 1
                members = self.scope(namespace, True, head[1] != "class", re.sub("<.*", "", head[2]))
                made = Declaration(text, kind="type", name=head[2], scope=namespace, groups=members)
            elif has_body:
                self.skip("{", "}")
            if self.text.startswith(";", self.at):
                self.at += 1
            note = self.note()
            made = made or plain(text, namespace, class_name)
            if made and is_public and not library_only:
                made.note = note
                add(made)

    def enumerators(self):
        self.at += 1
        end = self.text.index("}", self.at)
        inside, self.at = self.text[self.at:end], end + 1
        found = []
        for line in inside.split("\n"):
            code, _, note = line.partition("//")
            for name in filter(None, (part.strip() for part in code.split(","))):
                found.append(Declaration(name, kind="data", name=name))
            if note and found:
                found[-1].note = f"{found[-1].note} {note.strip()}".strip()
        return Group([], found)


def plain(text, namespace, class_name):
    """A function, data member or alias; None for declarations that the reference omits."""
    if re.match(r"(friend|static_assert|extern template)\b|ESPALIER_\w+\(", text):
        return None
    if re.fullmatch(r"(template <.*> )?(class|struct|enum class|enum) (ESPALIER_API )?[\w:]+( : \w+)?", text):
        return None  # declared elsewhere
    if re.match(r"(template <.*?> )?(inline constexpr|constexpr inline) bool \w+<", text):
        return None
    if text.startswith("using ") and "=" not in text:
        return None
    if text.startswith("~") or text.startswith("virtual ~") or re.search(r"\boperator=\(", text) or text.endswith("= delete"):
        return None
    if class_name and re.match(rf"{class_name}\((const )?{class_name}(<[^>]*>)?&&?( \w+)?\)", text):
        return None
    text = re.sub(r"\bESPALIER_API ", "", text)
    text = re.sub(r",? ?(ESPALIER_AT|Where \w+ = (Where|espalier::Where)::here\(\)|Where at = \{\})", "", text)
    text = re.sub(r"^(template <.*?> )?((?:static |explicit )*)(?:inline |constexpr )+(?=[^(]*\()", r"\1\2", text)
    alias = re.match(r"(?:template <.*?> )?(?:using (\w+) =|concept (\w+) =)", text)
    if alias:
        return Declaration(text + ";", kind="alias", name=alias[1] or alias[2], scope=namespace)
    call = re.search(r"(operator ?(?:\(\)|\[\]|[^\s\w(]+|[\w:<> ]+?)|~?\w+(?:::\w+)*) ?\(", signature_part(text))
    if call and not re.match(r"[^(]*[^=!<>]=[^=(]*\(", re.sub(r"operator\S+", "", signature_part(text))):
        if "::" in call[1] and not call[1].startswith("operator"):
            return None  # definition of a member declared in its class
        text = without_initialisers(text)
        return Declaration(text + ";", name=call[1].strip(), scope=namespace)
    name = re.search(r"(\w+)(?:\[\w*\])?\s*(?:[={,].*)?$", re.sub(r"<[^<>]*>", "", text))
    return Declaration(text + ";", kind="data", name=name[1] if name else "", scope=namespace)


def signature_part(text):
    """The declaration after `template <…>` and `requires …`."""
    while found := re.match(r"template <", text):
        depth = 0
        for i, c in enumerate(text):
            depth += (c == "<") - (c == ">" and text[i - 1] != "-")
            if c == ">" and depth == 0:
                text = text[i + 1:].lstrip()
                break
        else:
            return text
    if text.startswith("requires"):
        # A requirement is a parenthesis, or names with arguments joined by && and ||.
        rest = re.match(r"requires ((?:\([^()]*(?:\([^()]*\)[^()]*)*\)|!?[\w:]+(?:<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)?(?:::\w+)?(?: \{.*?\})?)"
                        r"(?: (?:&&|\|\|) )?)+ ?", text)
        if rest:
            text = text[rest.end():].lstrip()
    return text


def without_initialisers(text):
    """A constructor without its member initialisers."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "(<[{") - (c in ")]}" or (c == ">" and text[i - 1] != "-"))
        if c == ":" and depth <= 0 and text[i - 1] == " " and text[i + 1] == " " and ")" in text[:i]:
            return text[:i].rstrip()
    return text


def read_header(text, lists):
    """(lines of the opening comment, groups)."""
    opening = re.match(r"((?://.*\n)*)", text)[1]
    body = expand_lists(text[len(opening):], lists)
    return [line[2:].removeprefix(" ") for line in opening.splitlines()], Reader(body + "\n").scope("", False, True)
