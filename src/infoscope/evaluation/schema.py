"""The schema of a stored evaluation: what the fields of its JSON must be before any of them is believed."""

from __future__ import annotations

from infoscope.records import COUNT, MASS, NUMBER, TEXT, Each, Fields, Maybe, Named, Plain

__all__ = ["DOCUMENT"]

_LEVEL = Plain(
    "a number between 0 and 1",
    lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1,
)
_VALUE = Fields(
    {"value": Maybe(NUMBER)},
    {
        "mean": NUMBER,
        "sd": MASS,
        "low": NUMBER,
        "high": NUMBER,
        "undefined": TEXT,
        "cramer_rao_sd": MASS,
        "sd_ratio": MASS,
        "positive": TEXT,
    },
)
_INTERVAL = Fields(
    {"level": _LEVEL, "method": TEXT, "text": TEXT},
    {"prior": TEXT, "seed": COUNT, "clusters": COUNT, "samples_to_halve": COUNT},
)
_CLASS = Fields({"label": TEXT}, open=True)
_SYSTEM = Fields(
    {
        "name": TEXT,
        "n": Maybe(MASS),
        "truth_labels": Each(TEXT),
        "system_labels": Each(TEXT),
        "metrics": Named(_VALUE),
    },
    {
        "group": Maybe(Named(TEXT)),
        "reject": Maybe(TEXT),
        "positive": Maybe(TEXT),
        "data_hash": Maybe(TEXT),
        "interval": Maybe(_INTERVAL),
        "classes": Each(_CLASS),
        "outputs": Each(_CLASS),
        "leaks": Each(
            Fields({"truth": TEXT, "system": TEXT, "count": MASS, "missed_bits": NUMBER, "false_bits": NUMBER})
        ),
        "confusions": Each(Fields({"classes": Each(TEXT), "count": MASS, "gain": NUMBER}, open=True)),
        "diagnosis": Each(Fields({"code": TEXT, "text": TEXT}, open=True)),
    },
    open=True,
)
DOCUMENT = Fields(
    {
        "source": Fields(
            {},
            {
                "name": Maybe(TEXT),
                "rows": Maybe(COUNT),
                "ignored": Each(Fields({"reason": TEXT, "rows": COUNT})),
            },
            open=True,
        ),
        "systems": Each(_SYSTEM),
    },
    open=True,
)
"""An evaluation, less the name of its schema; fields that a later version may add are left alone."""
