"""From the text of policies to what the program trusts; the last place that can say "invalid"."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicloud.errors import PolicyError
from multicloud.models.pool import Limits, Policy
from multicloud.models.project import Project
from multicloud.policy import kinds as k
from multicloud.policy.budgets import compile_budget
from multicloud.policy.check import check, join
from multicloud.policy.context import Context
from multicloud.policy.facts import (
    compile_commitments,
    compile_discounts,
    compile_fx,
    compile_limits,
)
from multicloud.policy.files import Files, ReadFile
from multicloud.policy.pools import compile_labels, compile_pool, with_defaults
from multicloud.policy.problems import Problems, raise_all
from multicloud.policy.raw import POLICY, PROJECT_KEYS
from multicloud.policy.reader import Reader, nodes, parsed
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence, parse

if TYPE_CHECKING:
    from collections.abc import Mapping as MappingABC
    from collections.abc import Sequence as SequenceABC

    from multicloud.errors import MulticloudError, Where
    from multicloud.models.condition import DateRange


@dataclass(frozen=True, slots=True)
class Source:
    """A file by its name for people, and what it says."""

    file: str
    text: str


_NO_PROJECT = Project()


def compile_policies(
    sources: SequenceABC[Source],
    *,
    project: Project = _NO_PROJECT,
    read_file: ReadFile | None = None,
    environ: MappingABC[str, str] | None = None,
) -> tuple[Policy, ...]:
    """Compile policies that are to be used together, in the order given.

    The project's facts are merged in. `read_file` gives the contents of files that nodes need
    and raises InvalidInputError for those outside of the project; `environ` fills `${env:NAME}`
    in them. Pure, given a pure `read_file`.
    Raises: InvalidInputsError with every fault of every file, in file order.
    """
    errors: list[list[MulticloudError]] = []
    noted: list[tuple[Problems, list[MulticloudError]]] = []
    policies: list[Policy] = []
    taken = _Taken()
    for source in sources:
        problems = Problems()
        try:
            root = parse(source.text, file=source.file)
        except PolicyError as error:
            errors.append([error])
            continue
        check(root, POLICY, "", problems)
        files = Files(
            file=source.file,
            read=read_file,
            allowed=frozenset(project.env),
            environ=environ or {},
        )
        policies.append(_compile(Reader(root, "", problems), source, project, files))
        taken.add(root, problems)
        errors.append([])
        noted.append((problems, errors[-1]))
    taken.check_renames()
    for problems, of_file in noted:
        of_file.extend(problems.in_file_order())
    raise_all([error for of_file in errors for error in of_file])
    return tuple(policies)


class _Taken:
    """Names that other policies, or the same one, have already."""

    def __init__(self) -> None:
        self.policies: dict[str, Where] = {}
        self.pools: dict[str, tuple[str, Where]] = {}
        self._renamed: list[tuple[str, Reader]] = []

    def add(self, root: Node, problems: Problems) -> None:
        top = Reader(root, "", problems)
        name = top.get("name")
        if isinstance(name, Scalar):
            if name.text in self.policies:
                problems.add(
                    name.where,
                    "name",
                    f'another policy is named "{name.text}".',
                    detail=f"It stands at {self.policies[name.text]}.",
                )
            self.policies.setdefault(name.text, name.where)
        pools = top.get("pools")
        for key, _ in pools.entries if isinstance(pools, Mapping) else ():
            folded = key.text.casefold()
            if folded in self.pools:
                other, where = self.pools[folded]
                case = "" if other == key.text else " but for its case"
                problems.add(
                    key.where,
                    join("pools", key.text),
                    f'the pool "{key.text}" has the name of another{case}.',
                    detail=f'"{other}" stands at {where}.',
                )
            self.pools.setdefault(folded, (key.text, key.where))
        for key, pool in pools.entries if isinstance(pools, Mapping) else ():
            reader = Reader(pool, join("pools", key.text), problems)
            if isinstance(reader.get("was"), Scalar):
                self._renamed.append((key.text, reader))

    def check_renames(self) -> None:
        """Note earlier names that belong to another pool, of whichever policy."""
        taken: dict[str, str] = {}
        for name, pool in self._renamed:
            was = pool.or_else("was", k.POOL_NAME, "")
            other, where = self.pools.get(was.casefold(), (name, None))
            if not was:
                continue  # what is wrong with it was noted already
            if was == name:
                pool.fault("was", "is the pool's present name.", hint="Leave it out.")
            elif other != name:
                pool.fault(
                    "was",
                    f'"{was}" is a pool of its own.',
                    detail=f"Expected a name that no pool has by now; this one stands at {where}.",
                )
            elif was.casefold() in taken:
                given = taken[was.casefold()]
                pool.fault("was", f'is given by "{given}" too.', hint="Keep one of the two.")
            taken.setdefault(was.casefold(), name)


def _compile(top: Reader, source: Source, project: Project, files: Files) -> Policy:
    _check_both(top, project)
    context = Context(
        problems=top.problems,
        # What is there but wrong was noted already: windows shall not complain of it again.
        timezone=top.or_else("timezone", k.ZONE, "UTC" if "timezone" in top else ""),
        calendar=top.or_else("workdays", k.CALENDAR, "" if "workdays" in top else None),
        currency=top.or_else("currency", k.CURRENCY, "USD"),
        fx=compile_fx(top) or project.fx,
        dates=_date_sets(top),
    )
    if "currency" in top:
        context.money("", top.where("currency"), "currency")
    boundary = top.many("only_in", k.PLACE) or project.only_in
    labels = compile_labels(top)
    pools = top.sub("pools")
    readers = {
        name: Reader(
            with_defaults(pools.get(name) or pools.node, top.get("defaults")),
            join("pools", name),
            top.problems,
        )
        for name in pools or ()
        if pools is not None
    }
    return Policy(
        name=top.or_else("name", k.SLUG, ""),
        file=source.file,
        hash=_hash(top.node, project),
        text=source.text,
        timezone=context.timezone,
        calendar=context.calendar,
        currency=context.currency,
        fx=context.fx,
        discounts=compile_discounts(top) or project.discounts,
        commitments=compile_commitments(top, context) or project.commitments,
        limits=compile_limits(top, context) or project.limits or Limits(),
        redact=top.many("redact", k.TEXT),
        pools=tuple(
            compile_pool(name, reader, context, files, labels=labels, boundary=boundary)
            for name, reader in readers.items()
        ),
        budget=compile_budget(top, context),
    )


def _check_both(top: Reader, project: Project) -> None:
    for key in PROJECT_KEYS:
        if key.name in top and getattr(project, key.name):
            top.fault(
                key.name,
                f'"{key.name}" stands in the project file {project.file or ""} too.'.replace(
                    "  ", " "
                ),
                detail="Expected it in one of the two.",
                hint="Leave it out here, or move it here from there.",
            )


def _date_sets(top: Reader) -> dict[str, tuple[DateRange, ...]]:
    sets = top.sub("dates")
    if sets is None:
        return {}
    found: dict[str, tuple[DateRange, ...]] = {}
    for name in sets:
        ranges = [parsed(node, k.DATE_RANGE) for node in nodes(sets.get(name))]
        found[name] = tuple(r for r in ranges if r is not None)
    return found


def _hash(root: Node, project: Project) -> str:
    """Of everything that has a meaning: not of comments, blanks, or the order of a map's keys."""
    facts = [
        repr(sorted(fact.items()) if isinstance(fact, dict) else fact)
        for fact in (getattr(project, key.name) for key in PROJECT_KEYS)
    ]
    text = json.dumps([_canonical(root), facts], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(node: Node) -> object:
    match node:
        case Scalar():
            return None if node.is_null else " ".join(node.text.split())
        case Sequence(items=items):
            return [_canonical(item) for item in items]
        case Mapping(entries=entries):
            return {key.text: _canonical(value) for key, value in entries}
