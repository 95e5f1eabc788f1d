"""The stand-in provider: each call of Terraform's plug-in protocol 6, from bytes to bytes.

What holds a TCP peer apart from another is its provider configuration: one server can serve
parallel runs and provider aliases at once.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.sandbox import encode, facts, schema, wire
from multicloud.sandbox.account import Account
from multicloud.sandbox.check import check_configuration, refusal
from multicloud.sandbox.events import advance, is_due
from multicloud.sandbox.faults import READ
from multicloud.sandbox.groups import GROUPS
from multicloud.sandbox.invent import Inventor, answer
from multicloud.sandbox.nodes import forget_vacancies
from multicloud.sandbox.plan import plan_change
from multicloud.sandbox.store import CloudStore, Ref
from multicloud.sandbox.values import UNKNOWN, Row, decode_row
from multicloud.sandbox.values import encode as dump
from multicloud.sandbox.walk import complete, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from multicloud.sandbox.facts import ProviderFacts
    from multicloud.sandbox.schema import Block, ProviderSchema
    from multicloud.sandbox.wire import Message

_NULL = wire.blob(1, dump(None))


class Provider:
    """One provider over one simulated cloud; `now` is the cloud's clock."""

    def __init__(
        self, name: str, store: CloudStore, *, now: Callable[[], datetime] = clock.utcnow
    ) -> None:
        self.name = name
        self._store = store
        self._now = now
        self._accounts: dict[str, Account] = {}

    @property
    def source(self) -> str:
        """The provider's address without host: `hashicorp/aws`."""
        return schema.source(self.name)

    # Read when the first call comes: of all providers served, a run asks few.
    @cached_property
    def _schema(self) -> ProviderSchema:
        return schema.load(self.name)

    @cached_property
    def _facts(self) -> ProviderFacts:
        return facts.load(self.name)

    @cached_property
    def calls(self) -> Mapping[str, Callable[[Message, str], bytes]]:
        """What answers each call, by its name in the protocol; takes the request and the peer."""
        return {
            "GetMetadata": lambda _request, _peer: encode.metadata(self._schema),
            "GetProviderSchema": lambda _request, _peer: self._schema_answer,
            "ValidateProviderConfig": _nothing,
            "ValidateResourceConfig": self._validate_resource,
            "ValidateDataResourceConfig": _nothing,
            "UpgradeResourceState": self._upgrade,
            "ConfigureProvider": self._configure,
            "ReadResource": self._read,
            "PlanResourceChange": self._plan,
            "ApplyResourceChange": self._apply,
            "ImportResourceState": self._import,
            "ReadDataSource": self._read_data,
            "StopProvider": _nothing,
            "GetFunctions": _nothing,
            "GetResourceIdentitySchemas": _nothing,
        }

    @cached_property
    def _schema_answer(self) -> bytes:
        return encode.provider_schema(self._schema)

    def _block(self, type_: str) -> Block:
        return self._schema.resources[type_].block

    def _account(self, peer: str) -> Account:
        return self._accounts.get(peer) or Account.configured(self._facts, {})

    def _ref(self, type_: str, id_: object, account: Account) -> Ref:
        return Ref(self.source, account.region, type_, str(id_))

    def _configure(self, request: Message, peer: str) -> bytes:
        account = Account.configured(self._facts, decode_row(request.blob(2)) or {})
        self._accounts[peer] = account
        missing = [n for n in self._facts.provider_needs if account.settings.get(n) in (None, "")]
        return b"".join(
            wire.blob(1, encode.error(f"Missing {name}", f"The provider needs `{name}`.", (name,)))
            for name in missing
        )

    def _validate_resource(self, request: Message, _peer: str) -> bytes:
        type_, config = request.text(1), decode_row(request.blob(2)) or {}
        found = check_configuration(self._block(type_), self._facts.of(type_), config)
        return encode.findings(1, found)

    def _upgrade(self, request: Message, _peer: str) -> bytes:
        state: Row = json.loads(wire.parse(request.blob(3)).blob(1))
        return wire.blob(1, dump(complete(self._block(request.text(1)), state)))

    def _read(self, request: Message, peer: str) -> bytes:
        type_, state = request.text(1), decode_row(request.blob(2))
        private = wire.blob(3, request.blob(3))
        if state is None:
            return _NULL + private
        account = self._account(peer)
        if (message := self._fault(type_, READ, state, account)) is not None:
            return wire.blob(1, dump(state)) + wire.blob(2, _told(message)) + private
        record = self._store.get(self._ref(type_, state["id"], account))
        if record is None:
            return _NULL
        row = complete(self._block(type_), {**state, **record.attributes})
        return wire.blob(1, dump(row)) + private

    def _plan(self, request: Message, peer: str) -> bytes:
        type_, proposed = request.text(1), decode_row(request.blob(3))
        private = wire.blob(3, request.blob(5))
        if proposed is None:
            return _NULL + private
        planned = plan_change(
            self._block(type_),
            self._facts.of(type_),
            self._account(peer),
            prior=decode_row(request.blob(2)),
            proposed=proposed,
        )
        paths = (wire.blob(2, encode.attribute_path(path)) for path in planned.replaces)
        # 5 is legacy_type_system: defaults may appear in the plan, as with the real providers.
        return b"".join((wire.blob(1, dump(planned.row)), *paths, private, wire.integer(5, 1)))

    def _apply(self, request: Message, peer: str) -> bytes:
        type_, account = request.text(1), self._account(peer)
        prior, planned = decode_row(request.blob(2)), decode_row(request.blob(3))
        private = wire.blob(2, request.blob(5)) + wire.integer(4, 1)
        operation = "delete" if planned is None else "create" if prior is None else "update"
        message = self._fault(type_, operation, planned or prior or {}, account)
        if message is None and planned is None:
            ref = self._ref(type_, (prior or {})["id"], account)
            self._store.delete(ref, at=self._now())
            self._changed(ref)
            return _NULL + private
        row: Row = prior or {}
        if message is None and planned is not None:
            row = self._kept(type_, prior, self._decided(type_, prior, planned, account), account)
            message = self._refusal(type_, row, account, operation)
        if message is not None:
            kept = wire.blob(1, dump(prior))
            return kept + wire.blob(3, _told(message)) + private
        sent = decode_row(request.blob(4)) or {}
        ref = self._ref(type_, row["id"], account)
        self._store.put(ref, attributes=row, sent=sent, operation=operation, at=self._now())
        self._changed(ref)
        return wire.blob(1, dump(row)) + private

    def _fault(self, type_: str, operation: str, row: Row, account: Account) -> str | None:
        """What the cloud refuses a call with; what a fault plan has due by now is done first."""
        now = self._now()
        with self._store.reading() as db:
            waits = is_due(db, now)
        if waits:
            with self._store.writing() as db:
                advance(db, now)
        return self._store.take_fault(
            type_, operation, row, provider=self.source, region=account.region
        )

    def _changed(self, ref: Ref) -> None:
        """Launch and end the nodes of a group that was just applied or deleted."""
        if ref.type in GROUPS:
            with self._store.writing() as db:
                forget_vacancies(db, ref)
                advance(db, self._now())

    def _decided(self, type_: str, prior: Row | None, planned: Row, account: Account) -> Row:
        """The planned state with every unknown filled in, as the cloud would answer."""
        about, row = self._facts.of(type_), dict(planned)
        for name in about.counters if prior is not None else ():
            before = (prior or {}).get(name)
            if row.get(name) is UNKNOWN and isinstance(before, int):
                row[name] = before + 1
        return rounded(Inventor(about, account, row).fill(self._block(type_)), about.decimals)

    def _kept(self, type_: str, prior: Row | None, row: Row, account: Account) -> Row:
        """The row with what somebody else changed since the plan: only changes are sent."""
        record = self._store.get(self._ref(type_, row["id"], account)) if prior else None
        if prior is None or record is None:
            return row
        return {
            name: record.attributes.get(name, value) if prior.get(name) == value else value
            for name, value in row.items()
        }

    def _refusal(self, type_: str, row: Row, account: Account, operation: str) -> str | None:
        about = self._facts.of(type_)
        if (message := refusal(about, row)) is not None:
            return message
        taken = operation == "create" and about.exists
        if taken and self._store.get(self._ref(type_, row["id"], account)) is not None:
            return str(Inventor(about, account, row).template(about.exists))
        return None

    def _import(self, request: Message, peer: str) -> bytes:
        type_, id_ = request.text(1), request.text(2)
        account = self._account(peer)
        if (message := self._fault(type_, READ, {"id": id_}, account)) is not None:
            return wire.blob(2, _told(message))
        record = self._store.get(self._ref(type_, id_, account))
        if record is None:
            detail = f"{type_} {id_} does not exist in this region."
            return wire.blob(2, encode.error("Cannot import non-existent remote object", detail))
        state = complete(self._block(type_), dict(record.attributes))
        return wire.blob(1, wire.text(1, type_) + wire.blob(2, dump(state)))

    def _read_data(self, request: Message, peer: str) -> bytes:
        type_, config = request.text(1), decode_row(request.blob(2)) or {}
        block, account = self._schema.data_sources[type_].block, self._account(peer)
        if (message := self._fault(type_, READ, config, account)) is not None:
            return wire.blob(2, _told(message))
        row = complete(block, config)
        inventor = Inventor(self._facts.of(type_), account, row)
        row.update(answer(self._facts.data_sources.get(type_, ()), inventor, config))
        for name, attribute in block.attributes.items():
            if row.get(name) is None and attribute.computed:
                row[name] = UNKNOWN
        return wire.blob(1, dump(inventor.fill(block)))


def _told(message: str) -> bytes:
    """A cloud's refusal as a diagnostic: its first line, then all of it."""
    return encode.error(message.split("\n", 1)[0], message)


def _nothing(_request: Message, _peer: str) -> bytes:
    """The answer of a call that has nothing to say."""
    return b""
