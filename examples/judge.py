"""May a picture finder go live? Few true labels, and a weaker model as the judge of all other rows.

Boosting finds pictures on scanned pages. One block in nine has a true label; a logistic model, which is worse, has
scored all of them. Its scores are the verdicts.

Run: python examples/judge.py
"""

import numpy as np

import infoscope as ifs

REQUIRED = 0.5
"""F1 that pictures must reach."""


def main() -> None:
    data = ifs.datasets.page_blocks()
    human = [label if row % 9 == 0 else None for row, label in enumerate(data.y_true.tolist())]
    score = np.round(data.scores["logistic"], 3).tolist()
    systems = {"boosting": data.predictions["boosting"]}
    asked = {"judge": {"score": score}, "positive": data.positive, "metrics": "f1"}

    found = ifs.evaluate(human, systems, **asked)
    print(found.to_text(width=100))

    print(f"Is the F1 of pictures at least {REQUIRED:.0%}?")
    labelled = [row for row, label in enumerate(human) if label is not None]
    alone = ifs.gate(
        [human[row] for row in labelled],
        {"boosting": [systems["boosting"][row] for row in labelled]},
        positive=data.positive,
        min={"f1": REQUIRED},
    )
    both = ifs.gate(human, systems, judge=asked["judge"], positive=data.positive, min={"f1": REQUIRED})
    for name, gate in (("labels alone", alone), ("labels and judge", both)):
        print(f"  {name:17} {gate.outcome:13} {gate.checks[0].text}")
    whole = ifs.evaluate(data.y_true, systems, positive=data.positive)["boosting"]
    print(f"  with all labels, which nobody would have: {whole.number('f1'):.3f}")

    judged = ifs.Judged.from_rows(
        {"human": human, "score": score, **systems}, truth="human", judge="score", system="boosting"
    )
    print(f"\nThe score was cut into {', '.join(judged.strata().verdicts)}: where it tells whether boosting is right.")


if __name__ == "__main__":
    main()
