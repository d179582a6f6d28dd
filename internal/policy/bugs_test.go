package policy

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	bugsPage   = "docs/bugs.md"
	modelsDir  = "docs/models"
	modelCases = modelsDir + "/cases"
	nightCases = modelCases + ".nightly"
	knownBugs  = 51 // rows of the catalogue
)

// plannedBugs are the rows without a proof, because what they are about is not there
// yet. There is none.
var plannedBugs []string

var (
	bugRow   = regexp.MustCompile(`^\|\s*(K\d+)\s*\|`)
	bugTest  = regexp.MustCompile(`^TestBug_(K\d+)_`)
	mutant   = regexp.MustCompile(`(\w+)\.pml:(\w+)`)
	switches = regexp.MustCompile(`(?m)^#\s*if(?:n?def\s+|.*\bdefined\()(\w+)`)
	refuting = regexp.MustCompile(`^\s*refuted (\w+) (.*)$`)
	forEach  = regexp.MustCompile(`^for m in (.*); do$`)
)

// bugsAreShown returns the rule for a catalogue of that many rows, of which planned have no proof
// yet: each row of docs/bugs.md names a test or a refuted mutant that exists, and each test that is
// named after a row stands in it.
func bugsAreShown(rows int, planned []string) func(*repo) []string {
	return func(r *repo) []string {
		c := &catalogue{repo: r, tests: r.testNames(),
			refuted: refutedMutants(r.text[modelCases] + r.text[nightCases]), rows: map[string]string{}}
		p := parsePage(bugsPage, r.text[bugsPage])
		for i, line := range p.prose {
			if m := bugRow.FindStringSubmatch(line); m != nil {
				c.row(p.at(i), m[1], line, planned)
			}
		}
		for n := 1; n <= rows; n++ {
			if k := fmt.Sprintf("K%d", n); c.rows[k] == "" {
				c.problems = append(c.problems, bugsPage+": there is no row "+k)
			}
		}
		c.unlisted()
		return c.problems
	}
}

// catalogue is what is found while the page is read.
type catalogue struct {
	*repo
	tests, refuted map[string]bool
	rows           map[string]string // the line of each row
	problems       []string
}

func (c *catalogue) row(at, k, line string, planned []string) {
	if c.rows[k] != "" {
		c.problems = append(c.problems, at+k+" is there twice")
	}
	c.rows[k] = line
	shown := 0
	for _, name := range testInText.FindAllString(line, -1) {
		shown++
		if !c.tests[name] {
			c.problems = append(c.problems, at+name+": no such test")
		}
	}
	for _, m := range mutant.FindAllStringSubmatch(line, -1) {
		shown++
		if why := c.missing(m[1], m[2]); why != "" {
			c.problems = append(c.problems, at+m[0]+": "+why)
		}
	}
	switch listed := slices.Contains(planned, k); {
	case shown == 0 && !listed:
		c.problems = append(c.problems, at+k+" is shown by nothing")
	case shown > 0 && listed:
		c.problems = append(c.problems, at+k+" is shown: take it off the list of planned rows")
	}
}

// missing says what is wrong with a mutant, "" if nothing.
func (c *catalogue) missing(model, name string) string {
	text, ok := c.text[path.Join(modelsDir, model+".pml")]
	if !ok {
		return "no such model"
	}
	for _, m := range switches.FindAllStringSubmatch(text, -1) {
		if m[1] != name {
			continue
		}
		if !c.refuted[model+" "+name] {
			return "no case refutes it"
		}
		return ""
	}
	return "no such switch"
}

// unlisted finds tests that are named after a row and do not stand in it.
func (c *catalogue) unlisted() {
	for _, f := range c.core() {
		if !f.test {
			continue
		}
		for _, fn := range c.functions(f) {
			m := bugTest.FindStringSubmatch(fn.name)
			if m != nil && !slices.Contains(testInText.FindAllString(c.rows[m[1]], -1), fn.name) {
				c.problems = append(c.problems, f.path+": "+fn.name+" is not in row "+m[1]+" of "+bugsPage)
			}
		}
	}
}

// refutedMutants reads which switches of which models docs/models/run expects to be
// refuted, as "model SWITCH".
func refutedMutants(cases string) map[string]bool {
	got := map[string]bool{}
	var each []string
	for line := range strings.Lines(cases) {
		line = strings.TrimRight(line, "\n")
		if m := forEach.FindStringSubmatch(line); m != nil {
			each = strings.Fields(m[1])
		}
		m := refuting.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for word := range strings.FieldsSeq(m[2]) {
			if word != "$m" {
				got[m[1]+" "+word] = true
				continue
			}
			for _, name := range each {
				got[m[1]+" "+name] = true
			}
		}
	}
	return got
}

// TestBugsAreShown: every row of the catalogue has its test or its refuted mutant.
func TestBugsAreShown(t *testing.T) {
	const good = "| K1 | x | x | x | `TestBug_K1_Sleeper`, `TestOther` |\n| K2 | x | x | x | " +
		"`sleep.pml:NO_LOOK` |\n| K3 | x | x | x | planned |\n"
	const tests = "package sched\nfunc TestBug_K1_Sleeper() {}\nfunc TestOther() {}\n"
	const cases = "refuted sleep EARLY NO_FLAG\nfor m in NO_LOOK STALE; do\n\trefuted sleep $m\ndone\n"
	const model = "#ifndef NO_LOOK\nlook();\n#endif\n#ifdef ODD\n#endif\n"
	change := func(old, new string) tree { return tree{bugsPage: strings.Replace(good, old, new, 1)} }
	fixtures := policy{check: bugsAreShown(3, []string{"K3"}), accepts: tree{
		bugsPage: good, "sched/x_test.go": tests, modelCases: cases, modelsDir + "/sleep.pml": model,
	}, rejects: []fault{
		{"no row", change("| K2 |", "| - |"), "there is no row K2"},
		{"row twice", change("| K2 |", "| K1 | x | `TestOther`, TestBug_K1_Sleeper |\n| K2 |"),
			"K1 is there twice"},
		{"no such test", change("`TestOther`", "`TestGone`"), "TestGone: no such test"},
		{"no such model", change("sleep.pml", "weep.pml"), "no such model"},
		{"no such switch", change("NO_LOOK", "STALE"), "no such switch"},
		{"not refuted", change("NO_LOOK", "ODD"), "no case refutes it"},
		{"nothing", change("`sleep.pml:NO_LOOK`", "trust us"), "K2 is shown by nothing"},
		{"planned no more", change("planned", "`TestOther`"), "K3 is shown: take it off"},
		{"stray", tree{"sched/x_test.go": tests + "func TestBug_K2_Lost() {}\n"},
			"TestBug_K2_Lost is not in row K2"},
	}}
	enforceOn(t, fixtures, bugsAreShown(knownBugs, plannedBugs))
}
