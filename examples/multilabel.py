"""Two taggers of news stories against an editor: what they tell, and a category that one of them calls otherwise.

Run: python examples/multilabel.py
"""

import numpy as np

import infoscope as ifs

TOPICS = ["economy", "elections", "football", "health", "music", "weather"]


def stories(n: int, rng: np.random.Generator) -> list[set[str]]:
    shares = np.array([0.3, 0.2, 0.25, 0.15, 0.1, 0.1])
    return [{topic for topic, share in zip(TOPICS, shares, strict=True) if rng.random() < share} for _ in range(n)]


def tagged(truth: list[set[str]], care: float, names: dict[str, str], rng: np.random.Generator) -> list[set[str]]:
    """A tagger that keeps each right topic with probability ``care``, adds few, and has names of its own."""
    return [
        {names.get(topic, topic) for topic in TOPICS if rng.random() < (care if topic in topics else 0.04)}
        for topics in truth
    ]


def main() -> None:
    rng = np.random.default_rng(7)
    editor = stories(600, rng)
    taggers = {
        "careful": tagged(editor, 0.8, {}, rng),
        "renaming": tagged(editor, 0.9, {"football": "sport"}, rng),
    }
    result = ifs.multilabel.compare(editor, taggers, truth_name="editor", splits=100, shuffles=99)
    print(result.to_text(width=100))


if __name__ == "__main__":
    main()
