"""The module of the wheel, as it is installed: results, errors, warnings, streams."""

import doctest
import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import trainplan
import trainplan.types
from trainplan import _process

RUN = {
    "model": {"use": "llama3-8b"},
    "job": {"sequence": 8192, "global_batch": 64, "tokens": 1e12},
    "cluster": {"use": "dgx-h100", "gpus": 8},
    "parallelism": {"tp": 8, "recompute": "full", "zero": 1},
}
OPEN = {**RUN, "parallelism": {"tp": [1, 2, 4, 8], "microbatch": [1, 2, 4], "recompute": "full"}}


def command_line(*words):
    return json.loads(subprocess.run([str(_process.BINARY), *words, "--format", "json"], stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL).stdout)


class Results(unittest.TestCase):
    def test_a_plan_is_that_of_the_command(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(trainplan.plan("example:gpt3-175b"), command_line("plan", "example:gpt3-175b"))

    def test_a_dict_a_file_and_a_text_are_one_scenario(self):
        text = json.dumps(RUN, indent=1)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            file = Path(folder) / "run.yaml"
            file.write_text(text)
            steps = [trainplan.plan(each)["step"] for each in (RUN, text, file, str(file))]
        self.assertTrue(all(step == steps[0] for step in steps))

    def test_changes_and_flags(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            twice = trainplan.plan(RUN, set={"job.global_batch": 128, "parallelism.microbatch": "2"})
            self.assertEqual(twice["scenario"]["job"]["global_batch"], 128)
            self.assertEqual(len(trainplan.search(OPEN, top=2)["plans"]), 2)
            rows = trainplan.clusters(OPEN, on="p5*", quiet=True)["rows"]
        self.assertIn("p5", [row["cluster"] for row in rows])

    def test_a_plan_that_does_not_fit_is_a_result(self):
        wrong = trainplan.plan(RUN, set={"parallelism.tp": 3}, quiet=True)
        self.assertFalse(wrong["feasible"])
        self.assertTrue(wrong["violations"])

    def test_a_comparison_takes_a_dict_and_a_file(self):
        both = trainplan.compare("example:gpt3-175b", RUN, quiet=True)
        self.assertTrue(both["differences"])
        with self.assertRaises(ValueError):
            trainplan.compare(RUN, RUN)

    def test_schema_and_version(self):
        self.assertIn("parallelism", trainplan.schema()["properties"])
        self.assertIn("step", trainplan.schema("output/plan")["properties"])
        self.assertRegex(trainplan.version(), r"^\d+\.\d+")


class Sweeps(unittest.TestCase):
    def test_rows_are_those_of_the_command(self):
        rows = list(trainplan.sweep(OPEN, quiet=True))
        self.assertEqual(len(rows), 12)
        self.assertEqual([row["index"] for row in rows], list(range(12)))

    def test_a_closed_iterator_ends_the_planner(self):
        rows = trainplan.sweep("example:gpt3-175b-search", quiet=True)
        first = list(itertools.islice(rows, 3))
        self.assertEqual(len(first), 3)
        rows.close()
        self.assertEqual(list(rows), [])

    def test_mistakes_are_raised(self):
        with self.assertRaises(trainplan.ScenarioError):
            list(trainplan.sweep({**OPEN, "jop": {}}))


class Errors(unittest.TestCase):
    def test_a_mistake_has_its_place_and_a_hint(self):
        with self.assertRaises(trainplan.ScenarioError) as raised:
            trainplan.plan("model: {use: llama3-8b}\njob: {sequnce: 8192, global_batch: 64}\n"
                           "cluster: {use: dgx-h100, gpus: 8}\n")
        mistake = raised.exception.diagnostics[0]
        self.assertEqual((mistake.file, mistake.line, mistake.column), ("<stdin>", 2, 7))
        self.assertEqual(mistake.hint, "did you mean 'sequence'?")
        self.assertIn("<stdin>:2:7: error: unknown field 'job.sequnce'", str(raised.exception))

    def test_check_lists_what_plan_raises(self):
        self.assertEqual(trainplan.check(RUN), [])
        found = trainplan.check({**RUN, "jop": {}})
        self.assertEqual([d.severity for d in found], ["error"])

    def test_a_file_that_is_not_there(self):
        with self.assertRaises(trainplan.ScenarioError) as raised:
            trainplan.plan("nowhere.yaml")
        self.assertIn("nowhere.yaml", str(raised.exception))

    def test_flags_that_are_none(self):
        with self.assertRaises(trainplan.UsageError) as raised:
            trainplan.plan(RUN, tpo=3)
        self.assertIn("did you mean '--top'", str(raised.exception))

    def test_an_assertion_carries_the_plan(self):
        with self.assertRaises(trainplan.AssertionFailed) as raised:
            trainplan.plan({**RUN, "assert": "mfu > 0.99"}, quiet=True)
        self.assertIn("step", raised.exception.result)

    def test_another_machine_says_so(self):
        good = _process.BINARY
        with tempfile.TemporaryDirectory() as folder:
            _process.BINARY = Path(folder) / "trainplan"
            _process.BINARY.write_bytes(b"\x7fELF of another machine")
            os.chmod(_process.BINARY, 0o755)
            try:
                with self.assertRaisesRegex(OSError, "this machine cannot run the planner"):
                    trainplan.plan(RUN)
            finally:
                _process.BINARY = good

    def test_warnings_are_those_of_python(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trainplan.plan({**RUN, "cluster": {"use": "tpu-v5p-pod", "gpus": 8}})
        texts = [str(each.message) for each in caught if each.category is trainplan.PlanWarning]
        self.assertTrue(any("assumed" in text and "; hint: " in text for text in texts), texts)
        self.assertEqual({each.filename for each in caught}, {__file__})


class Types(unittest.TestCase):
    def test_sections_and_figures_are_there(self):
        self.assertLessEqual({"model", "job", "cluster", "parallelism"}, set(trainplan.types.Scenario.__annotations__))
        self.assertLessEqual({"step", "cost"}, set(trainplan.types.Plan.__annotations__))


def page_test(path):
    """The examples of a page: a line that ends its block of code ends an example's output."""
    text = "\n".join("" if line.startswith("```") else line for line in path.read_text().splitlines())
    return doctest.DocTestCase(doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0))


def load_tests(loader, tests, pattern):
    tests.addTest(page_test(Path(os.environ["TRAINPLAN_PAGE"])))
    return tests


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
