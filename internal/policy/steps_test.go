package policy

import (
	"path"
	"regexp"
	"slices"
	"testing"
)

// protocols are the pages that state protocols as numbered steps, in tables. A cell begins with the
// name of its step.
var protocols = []string{"sched/README.md"}

var (
	step     = regexp.MustCompile(`\b[A-Z][1-9]\b'?`)
	stepCell = regexp.MustCompile(`\| ([A-Z][1-9]'?) `)
)

// stepsAreMarked holds that the code has a comment with the name of the step at each step of a
// protocol, and that no two steps of a page have the same name.
func stepsAreMarked(r *repo) []string {
	var problems []string
	for _, page := range protocols {
		marked := r.stepsIn(path.Dir(page))
		var defined []string
		p := parsePage(page, r.text[page])
		for i, line := range p.prose {
			for _, m := range stepCell.FindAllStringSubmatch(line, -1) {
				name := m[1]
				switch {
				case slices.Contains(defined, name):
					problems = append(problems, p.at(i)+name+" is there twice")
				case !marked[name]:
					problems = append(problems, p.at(i)+name+" is in no comment of the code")
				}
				defined = append(defined, name)
			}
		}
	}
	return problems
}

// stepsIn returns the steps that comments of a directory's production files name.
func (r *repo) stepsIn(dir string) map[string]bool {
	marked := map[string]bool{}
	for _, f := range r.production() {
		if f.dir != dir {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				for _, name := range step.FindAllString(c.Text, -1) {
					marked[name] = true
				}
			}
		}
	}
	return marked
}

// TestStepsAreMarked: every step of sched/README.md is named where the code takes it.
func TestStepsAreMarked(t *testing.T) {
	enforce(t, policy{check: stepsAreMarked, accepts: tree{
		"sched/README.md": "| one | other |\n|---|---|\n| W1 push (see Q9) | S1 set; W2 or not |\n| " +
			"W2' look | |\n\nX1 is no cell.\n",
		"sched/x.go": "package sched\nvar a int // W1, W2'\n// S1 and on.\nvar b int\n",
	}, rejects: []fault{
		{"no comment", tree{"sched/x.go": "package sched\nvar a int // W1, W2'\nvar S1 int\n"},
			"sched/README.md:3: S1 is in no comment"},
		{"the plain one only", tree{"sched/x.go": "package sched\nvar a int // W1, W2, S1\n"},
			"README.md:4: W2' is in no comment"},
		{"part of a word", tree{"sched/x.go": "package sched\nvar a int // W1, W2', S10\n"},
			"S1 is in no comment"},
		{"in a test", tree{"sched/x.go": "package sched\nvar a int // W1, W2'\n",
			"sched/x_test.go": "package sched\nvar b int // S1\n"}, "S1 is in no comment"},
		{"in another package", tree{"sched/x.go": "package sched\nvar a int // W1, W2'\n",
			"actor/x.go": "package actor\nvar b int // S1\n"}, "S1 is in no comment"},
		{"twice", tree{"sched/README.md": "| W1 push | S1 set |\n| W2' look | W1 more |\n"},
			"README.md:2: W1 is there twice"},
	}})
}
