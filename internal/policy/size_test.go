package policy

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The limits, in lines. A function counts from "func" to its closing brace; test
// files do not count.
const (
	maxFunction = 70
	maxFile     = 400
	maxP90      = 35 // of the functions of a package
	maxMedian   = 10 // of the functions of a package
	wholeMedian = 8  // of all functions
	enough      = 20 // a package of fewer functions has no median to speak of
)

// sizeExcess lists what is longer than its limit, with its length. It may only shrink: a row that
// no longer says the truth fails, whichever way it is wrong. Do not add a row for what is new: make
// that shorter.
var sizeExcess = map[string]int{}

// sizes has, for whatever has a limit, how long it is and the limit.
type sizes struct{ is, limit map[string]int }

func (s sizes) add(key string, is, limit int) { s.is[key], s.limit[key] = is, limit }

// measure measures the production code of a checkout.
func measure(r *repo) sizes {
	s := sizes{map[string]int{}, map[string]int{}}
	perPackage := map[string][]int{}
	var all []int
	for _, f := range r.production() {
		s.add("file "+f.path, strings.Count(f.src, "\n"), maxFile)
		for _, fn := range r.functions(f) {
			key := "func " + f.path + " " + fn.name
			s.add(key, max(fn.lines, s.is[key]), maxFunction) // init, _ and var can be many
			perPackage[f.dir] = append(perPackage[f.dir], fn.lines)
			all = append(all, fn.lines)
		}
	}
	for dir, lines := range perPackage {
		if len(lines) >= enough {
			s.add("median "+dir, percentile(lines, 50), maxMedian)
			s.add("p90 "+dir, percentile(lines, 90), maxP90)
		}
	}
	if len(all) >= enough {
		s.add("median of all", percentile(all, 50), wholeMedian)
	}
	return s
}

// function is one function and its length.
type function struct {
	name  string
	lines int
}

// functions lists the functions of a file, those in package-level variables too.
func (r *repo) functions(f *goFile) []function {
	var got []function
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			got = append(got, function{funcName(d), r.lines(d)})
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				got = append(got, function{"var", r.lines(lit)})
			}
			return !ok
		})
	}
	return got
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return receiver(d) + "." + d.Name.Name
}

func (r *repo) lines(n ast.Node) int { return r.line(n.End()) - r.line(n.Pos()) + 1 }

// percentile is the smallest value that p per cent of the values do not exceed.
func percentile(values []int, p int) int {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*p+99)/100-1]
}

// small holds sizes to their limits, except for the excess.
func small(excess map[string]int) func(*repo) []string {
	return func(r *repo) []string {
		var problems []string
		s := measure(r)
		for _, key := range slices.Sorted(maps.Keys(s.is)) {
			is, limit := s.is[key], s.limit[key]
			owed, listed := excess[key]
			switch {
			case !listed && is > limit:
				problems = append(problems, fmt.Sprintf("%s: %d lines, at most %d", key, is, limit))
			case listed && is <= limit:
				problems = append(problems,
					fmt.Sprintf("%s: %d lines are within the limit: take its row out of sizeDebt", key, is))
			case listed && is > owed:
				problems = append(problems, fmt.Sprintf("%s: %d lines, was %d: the debt may only shrink", key,
					is, owed))
			case listed && is < owed:
				problems = append(problems,
					fmt.Sprintf("%s: %d lines, was %d: write the smaller number into sizeDebt", key, is, owed))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(excess)) {
			if _, ok := s.is[key]; !ok {
				problems = append(problems, key+": in sizeDebt, but there is no such thing")
			}
		}
		return problems
	}
}

// TestSizes: functions of at most 70 lines, half of them at most 8, files of at
// most 400.
func TestSizes(t *testing.T) {
	enforce(t, policy{check: small(sizeExcess), accepts: tree{
		"heap/x.go":      functionsOf("heap", slices.Repeat([]int{3}, 21)...) + functionOf("Longest", 70),
		"heap/x_test.go": functionsOf("heap", 200),
	}, rejects: []fault{
		{"long function", tree{"heap/y.go": functionsOf("heap", 71)},
			"func heap/y.go f0: 71 lines, at most 70"},
		{"long method", tree{"heap/y.go": "package heap\n" + functionOf("(r *Ref[T]) Get", 71)},
			"func heap/y.go Ref.Get: 71"},
		{"long function in a variable", tree{"heap/y.go": "package heap\nvar x = " + functionOf("", 71)},
			"func heap/y.go var: 71"},
		{"long file", tree{"heap/y.go": "package heap\n" + strings.Repeat("//\n", 400)},
			"file heap/y.go: 401 lines, at most 400"},
		{"median of a package", tree{
			"sched/x.go": functionsOf("sched", slices.Repeat([]int{11}, 20)...),
		}, "median sched: 11 lines, at most 10"},
		{"p90 of a package", tree{
			"sched/x.go": functionsOf("sched", append(slices.Repeat([]int{3}, 17), 36, 36, 36)...),
		}, "p90 sched: 36 lines, at most 35"},
		{"median of all", tree{
			"sched/x.go":        functionsOf("sched", slices.Repeat([]int{9}, 12)...),
			"actor/x.go":        functionsOf("actor", slices.Repeat([]int{9}, 12)...),
			"backpressure/x.go": functionsOf("backpressure", slices.Repeat([]int{9}, 12)...),
		}, "median of all: 9 lines, at most 8"},
	}})
}

// TestSizeExcessOnlyShrinks: "a row that no longer says the truth fails, whichever
// way it is wrong".
func TestSizeExcessOnlyShrinks(t *testing.T) {
	excess := map[string]int{"func heap/x.go f0": 80}
	for name, c := range map[string]struct {
		files tree
		want  string
	}{
		"as listed": {tree{"heap/x.go": functionsOf("heap", 80)}, ""},
		"grown":     {tree{"heap/x.go": functionsOf("heap", 81)}, "the debt may only shrink"},
		"shrunk":    {tree{"heap/x.go": functionsOf("heap", 79)}, "write the smaller number"},
		"paid":      {tree{"heap/x.go": functionsOf("heap", 70)}, "take its row out"},
		"gone":      {tree{}, "there is no such thing"},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(small(excess)(fixture(t, c.files)), "\n")
			if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// functionsOf is a file of functions f0, f1, … of so many lines.
func functionsOf(pkg string, lines ...int) string {
	src := "package " + pkg + "\n"
	for i, n := range lines {
		src += functionOf(fmt.Sprintf("f%d", i), n)
	}
	return src
}

func functionOf(name string, lines int) string {
	return "func " + name + "() {" + strings.Repeat("\n", lines-1) + "}\n"
}
