"""`sgclaw skills`: list, lint, sign and verify the signed skills (S1, S3)."""

import argparse
from pathlib import Path

from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_FAILED, EXIT_OK, EXIT_REFUSED, UsageError
from sgclaw.printer import Printer, cli_language
from skills.errors import SkillError
from skills.header import parse_header
from skills.registry import load_library
from states.catalogue import words
from states.settings import SkillLimits

EXAMPLES = """examples:
  sgclaw skills list
  sgclaw skills lint skills/library/builtin/erp-monthly-report.js
  sgclaw skills verify
  make sign-skills"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `skills` and what stands under it."""
    parser = commands.add_parser(
        "skills",
        help="the signed skills: list, lint, sign, verify",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser(
        "list",
        help="name each verified skill, and what was left out",
        epilog="example: sgclaw skills list --json",
    )
    listing.set_defaults(run=_list)
    lint = verbs.add_parser(
        "lint",
        help="check the header of a skill file",
        epilog="example: sgclaw skills lint my-report.js",
    )
    lint.add_argument("file", type=Path, metavar="FILE", help="a skill, one JavaScript file")
    lint.set_defaults(run=_lint)
    sign = verbs.add_parser(
        "sign",
        help="sign the built-in skills with a new release key; its private half is dropped",
        epilog="example: sgclaw skills sign",
    )
    sign.set_defaults(run=_sign)
    verify = verbs.add_parser(
        "verify",
        help="verify registry, signatures, hashes and headers",
        epilog="example: sgclaw skills verify",
    )
    verify.set_defaults(run=_verify)
    for verb in (listing, lint, sign, verify):
        verb.add_argument("--json", action="store_true", help="print one JSON document")


def _list(given: argparse.Namespace, printer: Printer) -> int:
    del given
    library = load_library()
    lang = cli_language()
    if printer.as_json:
        printer.document(
            {
                "serial": library.serial,
                "skills": [
                    {
                        **skill.header.model_dump(),
                        "hash": skill.entry.hash,
                        "file": skill.entry.file,
                    }
                    for skill in library.skills
                ],
                "left_out": [
                    {
                        "name": p.name,
                        "file": p.file,
                        "code": p.error.code,
                        "why": p.error.text(lang),
                    }
                    for p in library.problems
                ],
            }
        )
        return EXIT_OK
    for skill in library.skills:
        header = skill.header
        printer.line(f"{header.skill}  {header.version}  {', '.join(header.domains)}")
        printer.line(f"    {header.description}")
    for problem in library.problems:
        printer.error(f"{problem.file}: {problem.error.text(lang)}")
    return EXIT_OK


def _lint(given: argparse.Namespace, printer: Printer) -> int:
    lang = cli_language()
    path: Path = given.file
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UsageError("file_unreadable", file=path, why=error.strerror or error) from error
    if len(source) > SkillLimits().file_bytes_max:
        raise UsageError(
            "file_unreadable", file=path, why=f"> {SkillLimits().file_bytes_max} bytes"
        )
    try:
        header = parse_header(source)
    except SkillError as error:
        if printer.as_json:
            found = {"code": error.code, "what": error.text(lang), "facts": _plain(error.facts)}
            printer.document({"file": str(path), "problems": [found]})
        else:
            printer.line(f"{path}: {error.text(lang)}")
        return EXIT_FAILED
    if printer.as_json:
        printer.document({"file": str(path), "problems": [], "header": header.model_dump()})
    else:
        printer.line(words("skill_passes", lang, file=path, skill=header.skill))
    return EXIT_OK


def _sign(given: argparse.Namespace, printer: Printer) -> int:
    from skills.signing import sign_library

    del given
    registry = sign_library(utc_now())
    names = [entry.name for entry in registry.skills]
    if printer.as_json:
        printer.document({"serial": registry.serial, "signed": names})
    else:
        lang = cli_language()
        printer.line(words("skills_signed", lang, serial=registry.serial, names=", ".join(names)))
    return EXIT_OK


def _verify(given: argparse.Namespace, printer: Printer) -> int:
    del given
    lang = cli_language()
    try:
        library = load_library()
    except SkillError as error:
        if printer.as_json:
            printer.document(
                {"verified": [], "problems": [{"code": error.code, "why": error.text(lang)}]}
            )
        printer.error(error.text(lang))
        return EXIT_REFUSED
    if printer.as_json:
        printer.document(
            {
                "serial": library.serial,
                "verified": [skill.header.skill for skill in library.skills],
                "problems": [
                    {"file": p.file, "code": p.error.code, "why": p.error.text(lang)}
                    for p in library.problems
                ],
            }
        )
    for skill in library.skills:
        printer.line(f"ok  {skill.header.skill} {skill.header.version}  {skill.entry.hash}")
    for problem in library.problems:
        printer.error(f"{problem.file}: {problem.error.text(lang)}")
    return EXIT_REFUSED if library.problems else EXIT_OK


def _plain(facts: dict[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in facts.items()}
