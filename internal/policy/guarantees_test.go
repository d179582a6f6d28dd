package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	guaranteesPage = "docs/guarantees.md" // what users may rely on
	proofsPage     = "docs/proofs.md"     // the tests of each promise
)

var (
	testInText = regexp.MustCompile(`\b(?:Test|Benchmark|Example|Fuzz)[A-Z0-9_]\w*`)
	promiseAt  = regexp.MustCompile(`^\*\*([A-Z]-?\d+[a-z]?)\. `)
	proofRow   = regexp.MustCompile(`^\|\s*([A-Z]-?\d+[a-z]?)\s*\|`)
)

// guaranteesAreProved holds that each promise of docs/guarantees.md, a paragraph that begins with
// its number in bold, has a row in docs/proofs.md, and each row a promise; that a row names tests
// or says that its promise is planned; and that every test which either page names exists.
func guaranteesAreProved(r *repo) []string {
	promises, problems := numbersIn(r, guaranteesPage, promiseAt)
	proofs, more := numbersIn(r, proofsPage, proofRow)
	problems = append(problems, more...)
	for id, at := range promises {
		if _, proved := proofs[id]; !proved {
			problems = append(problems, at.String()+id+" has no row in "+proofsPage)
		}
	}
	for id, at := range proofs {
		if _, promised := promises[id]; !promised {
			problems = append(problems, at.String()+id+" is not promised in "+guaranteesPage)
		}
		if !testInText.MatchString(at.text) && !strings.Contains(at.text, "planned") {
			problems = append(problems, at.String()+id+" names no test")
		}
	}
	slices.Sort(problems)
	return problems
}

// numberedLine is a line of a page that begins with the number of a promise.
type numberedLine struct{ at, text string }

func (l numberedLine) String() string { return l.at }

// numbersIn returns the numbered lines of a page, and what is wrong with the tests that it names
// and with numbers that it gives twice.
func numbersIn(r *repo, name string, number *regexp.Regexp) (map[string]numberedLine, []string) {
	lines, problems := map[string]numberedLine{}, []string(nil)
	tests := r.testNames()
	p := parsePage(name, r.text[name])
	for i, line := range p.prose {
		for _, test := range testInText.FindAllString(line, -1) {
			if !tests[test] {
				problems = append(problems, p.at(i)+test+": no such test")
			}
		}
		m := number.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if _, twice := lines[m[1]]; twice {
			problems = append(problems, p.at(i)+m[1]+" stands here twice")
		}
		lines[m[1]] = numberedLine{p.at(i), line}
	}
	return lines, problems
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

// TestGuaranteesAreProved: every promise has its row of tests, every named test exists.
func TestGuaranteesAreProved(t *testing.T) {
	const promises = "**S8. Quiet.** It is.\n\n**S8a. Loud.** Not.\n\n**T-1. x.** y\n\n" +
		"**D1. Far.** *Planned.*\n\n| word | x |\n"
	const proofs = "| id | tests |\n|---|---|\n| S8 | `TestQuiet`, TestLoud/very |\n" +
		"| S8a | `TestQuiet` |\n| T-1 | ExampleRef |\n| D1 | planned |\n"
	const tests = "package sched\nfunc TestQuiet() {}\nfunc TestLoud() {}\nfunc ExampleRef() {}\n"
	enforce(t, policy{check: guaranteesAreProved, accepts: tree{
		guaranteesPage: promises, proofsPage: proofs, "sched/x_test.go": tests,
	}, rejects: []fault{
		{"no such test", tree{proofsPage: proofs + "See `TestGone`.\n"},
			"proofs.md:7: TestGone: no such test"},
		{"no such example", tree{guaranteesPage: promises + "See ExampleGone.\n"},
			"ExampleGone: no such test"},
		{"renamed test", tree{"sched/x_test.go": strings.Replace(tests, "TestLoud", "TestLouder", 1)},
			"TestLoud: no such test"},
		{"not a test file", tree{"sched/x_test.go": strings.Replace(tests, "func TestLoud() {}\n", "", 1),
			"sched/x.go": "package sched\nfunc TestLoud() {}\n"}, "TestLoud: no such test"},
		{"promise without a row", tree{guaranteesPage: promises + "\n**S9. Trust.** Us.\n"},
			"S9 has no row"},
		{"row without a promise", tree{proofsPage: proofs + "| S9 | `TestQuiet` |\n"},
			"S9 is not promised"},
		{"row without a test", tree{proofsPage: strings.Replace(proofs, "ExampleRef", "trust", 1)},
			"T-1 names no test"},
		{"promised twice", tree{guaranteesPage: promises + "\n**S8. Quiet.** Again.\n"},
			"S8 stands here twice"},
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
