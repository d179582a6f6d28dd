package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

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
