package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const guaranteesPage = "docs/guarantees.md"

var (
	testInText = regexp.MustCompile(`\b(?:Test|Benchmark|Example|Fuzz)[A-Z0-9_]\w*`)
	promiseRow = regexp.MustCompile(`^\|\s*\W*([A-Z]-?\d+)\b`)
)

// guaranteesAreProved holds that docs/guarantees.md names tests that exist, and
// that every row of a promise (its first cell is a number such as S8) names one
// or says that it is planned.
func guaranteesAreProved(r *repo) []string {
	var problems []string
	tests := r.testNames()
	p := parsePage(guaranteesPage, r.text[guaranteesPage])
	for i, line := range p.prose {
		named := testInText.FindAllString(line, -1)
		for _, name := range named {
			if !tests[name] {
				problems = append(problems, p.at(i)+name+": no such test")
			}
		}
		m := promiseRow.FindStringSubmatch(line)
		if m != nil && len(named) == 0 && !strings.Contains(line, "planned") {
			problems = append(problems, p.at(i)+m[1]+" names no test")
		}
	}
	return problems
}

const decisionsDir = "docs/decisions"

var decisionFile = regexp.MustCompile(`^(\d{4})-[a-z0-9-]+\.md$`)

// decisionsAreListed holds that the decisions have numbers of their own, and that
// the index of docs/decisions links them all.
func decisionsAreListed(r *repo) []string {
	var problems []string
	index := r.text[decisionsDir+"/README.md"]
	taken := map[string]string{}
	for _, name := range r.markdown() {
		base := path.Base(name)
		if path.Dir(name) != decisionsDir || slices.Contains([]string{"README.md", "template.md"}, base) {
			continue
		}
		m := decisionFile.FindStringSubmatch(base)
		if m == nil {
			problems = append(problems, name+": not called 0001-some-title.md")
			continue
		}
		if other := taken[m[1]]; other != "" {
			problems = append(problems, name+": has the number of "+other)
		}
		taken[m[1]] = base
		if !strings.Contains(index, "("+base+")") {
			problems = append(problems, name+": not in the index")
		}
	}
	return problems
}

// TestGuaranteesAreProved: every promise names its test, every named test exists.
func TestGuaranteesAreProved(t *testing.T) {
	const good = "| id | promise | test |\n|---|---|---|\n| S8 | quiet | `TestQuiet`, " +
		"TestLoud/very |\n| **T-1** | x | ExampleRef |\n| D1 | far | planned |\n| word | x | y |\n"
	const tests = "package sched\nfunc TestQuiet() {}\nfunc TestLoud() {}\nfunc ExampleRef() {}\n"
	enforce(t, policy{check: guaranteesAreProved, accepts: tree{
		guaranteesPage: good, "sched/x_test.go": tests,
	}, rejects: []fault{
		{"no such test", tree{guaranteesPage: good + "| S9 | x | `TestGone` |\n"},
			"guarantees.md:7: TestGone: no such test"},
		{"no such example", tree{guaranteesPage: good + "See ExampleGone.\n"},
			"ExampleGone: no such test"},
		{"renamed test", tree{"sched/x_test.go": strings.Replace(tests, "TestLoud", "TestLouder", 1)},
			"TestLoud: no such test"},
		{"not a test file", tree{"sched/x_test.go": strings.Replace(tests, "func TestLoud() {}\n", "", 1),
			"sched/x.go": "package sched\nfunc TestLoud() {}\n"}, "TestLoud: no such test"},
		{"promise without a test", tree{guaranteesPage: good + "| S9 | x | trust us |\n"},
			"S9 names no test"},
	}})
}

// TestDecisionsAreListed: the index of docs/decisions is complete.
func TestDecisionsAreListed(t *testing.T) {
	const dir = decisionsDir + "/"
	enforce(t, policy{check: decisionsAreListed, accepts: tree{
		dir + "README.md":         "[One](0001-one.md)\n",
		dir + "template.md":       "# Title\n",
		dir + "0001-one.md":       "# One\n",
		dir + "0001-one/data.txt": "figures\n",
	}, rejects: []fault{
		{"unlisted", tree{dir + "0002-two.md": "# Two\n"}, "0002-two.md: not in the index"},
		{"listed as text only", tree{dir + "README.md": "0001-one.md\n"},
			"0001-one.md: not in the index"},
		{"without number", tree{dir + "two.md": "# Two\n"}, "two.md: not called 0001-some-title.md"},
		{"number taken", tree{
			dir + "0001-two.md": "# Two\n",
			dir + "README.md":   "[One](0001-one.md)\n[Two](0001-two.md)\n",
		}, "0001-two.md: has the number of 0001-one.md"},
	}})
}
