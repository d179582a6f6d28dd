package policy

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// notYet lists the directories, with all below them, to which the rules of this file do not apply
// yet. It is to be emptied, and then deleted. "." stands for the files at the root.
var notYet = []string{}

// ruledAgain lists what lies below a directory of notYet, and yet is under the rules.
var ruledAgain = []string{"docs/models"}

// records are pages that stay as they were written, and so keep the words of their time.
var records = []string{"docs/decisions/", "CHANGELOG.md"}

// oldWord is a home-made word that a standard word has replaced.
type oldWord struct {
	// Of one camel-case segment each, in lower case, separated by blanks.
	words string
	now   string // what to use instead
	// Whole words of comments and pages as well: the word is no common English one.
	inText bool
}

// oldWords is the first column of the table of words, with what replaced it. A word that is common
// English is looked for in identifiers alone.
var oldWords = []oldWord{
	{"body", "cell; of a function: run, or f", false},
	{"kind", "class", false},
	{"extras", "cold state; of workers: surplus", true},
	{"extra", "surplus", false},
	{"replier repliers", "env", true},
	{"declaration declarations", "descriptor", false},
	{"stock stocks shelf shelves hoard hoards", "cache, magazine, cached", true},
	{"bundle bundles", "batch", true},
	{"away home origin", "remote, owner, creator, detached", false},
	{"restock shelve shelved shelves", "refill, free, putCold", true},
	{"spill spills spilled", "flush; of a ring: overflow", true},
	{"lease leases leased", "bias", true},
	{"fifo grab stretch conclude emptied", "pending, drain, run segment, endTurn, drained", false},
	{"settle settles settled", "account, warm up, become old", false},
	{"doze dozes dozed dozing", "go idle; of the monitor: disarm", true},
	{"attend attends heed heeds remind reminds", "serve, apply, rewake", true},
	{"lane lanes", "system queue", true},
	{"tomb tombs bury buries buried burial burials burier", "terminated record, discard", true},
	{"die dies died", "stop, terminate", false},
	{"wards untie rouse rouses roused", "stop list, release, wake", true},
	{"lobby outsider outsiders lenient", "semaphore, waiter, batch only", true},
	{"debt debts", "blocked-on count; of figures: excess", true},
	{"ledger ledgers", "wait list", true},
	{"owe forgive forgives forgiven recall recalls", "block, unblock, wake", false},
	{"forgive forgives forgiven", "unblock", true},
	{"stall stalls stalled survey skim", "pressure deadlock, wait graph, peek", true},
	{"asker askers", "caller", true},
	{"bidden gathering failer", "timedAsk, fan-in, rejecter", true},
	{"standing inlet outlet", "status, source, sink", false},
	{"inlet inlets outlet outlets", "channel source, channel sink", true},
	{"goal verb keeper", "next, stop mode, subsystem; of a call: op", false},
	{"strike strikes blow blows befell", "injectFault, fault kind, observe", true},
	{"book books booked booking", "count, list, check", true},
	{"freight forsaken", "owned payload, orphaned", true},
	{"fallen risen", "child down, child up", false},
	{"wipe renew revive", "zero, init, restart", false},
	{"kid kids boss doomed reaper", "child, parent, in group, kill timer", true},
	{"sweep", "group restart", false},
	{"seat seats seated", "slot", true},
	{"spare spares spared", "idle worker, exempt, free, kept", true},
	{"stray strays strayed", "detached", true},
	{"duty duties", "worker state", true},
	{"surge surges", "blocking burst", true},
	{"pace credit credits charge charged", "timeslice account, budget, overhead", false},
	{"patience linger lingers", "yield interval, spin budget", true},
	{"still", "parked, unchanged", false},
	{"fresh", "new", true},
	{"rob robs robbed robbery robbable", "revoke", true},
	{"age ages due level", "aging, turn owed, rebalance", false},
	{"nobody somebody whoever anybody everybody", "none, or the name of the role", false},
}

// oldNames are names of several segments, or such that only the whole name is an old word.
var oldNames = map[string]string{
	"askTable": "waitGraph", "batchSpent": "markOverloaded", "comeBack": "requeueUnstashed",
	"cutOff": "closeLife", "cutShort": "preempted", "handOn": "yieldTurn",
	"keepsFromRunning": "sameThread", "letGo": "released", "mine": "makeCold", "openAsk": "askEdge",
	"passCalls": "dropWakeups", "putFirst": "pushFront", "sendHome": "freeRemote",
	"takeOver": "revoke", "told": "pendingStop, reported", "untilOver": "lifeDone",
	"wokenForNothing": "spuriousWake",
}

// Not looked for, since they are common words of programs with a meaning that a reader expects:
// calls, come, fetch, gate, join, last, late, mark, more, order, over, pause, phase, place, pool,
// rest, room, row, spent, table, window. A name of these must still not mean what the table
// replaces.

// exempt says where a name may contain an old word after all, and why. A row is for a directory
// with all below it, and the names that match.
var exempt = []struct{ dir, names, reason string }{
	{"sched", `^ages?$`, "in tests: how old a thing is"},
	{"internal/policy", `^(level|body|Body|home)$`, "floors have levels; a function has a body"},
	{"internal/policy", `^Kind$`, "of go/ast"},
	{"actor/internal/timerwheel", `^levels?$`,
		"a hierarchical timer wheel has levels (Varghese and Lauck)"},
	{"actor/internal/timerwheel", `(?i)^(verify)?due$`, "a timer is due"},
	{"actor", `^Spills$`, "of the API, as Go's and Tokio's statistics name it"},
	{"actor", `^(Same)?Asker$|^ExampleAsker$|^Test(Same)?Asker(_Double)?$`,
		"of the API: what a Handler is to Send, an Asker is to Ask"},
	{"internal/sim", `(?i)kind$`, "the kind of an event or fault; no actor class"},
	{"heap", `(?i)^(part)?kind$`, "the kind of a part of a value, as reflect.Kind"},
	{"heap", `(?i)due`, "a collection is due"},
	{"heap", `^ages$`, "in an example: of people"},
	{"heap", `^level`, "of detail"},
	{"heap", `^body$`, "of a loop"},
	{"internal/explore", `^body$`, "what a thread runs"},
	{"actortest", `^byKind$`, "of reflect.Kind"},
	{"benchmarks/savina", `(?i)credit$`, "of a bank account"},
	{"benchmarks/savina", `^level$`, "of a tree"},
	{"benchmarks/savina", `(?i)kind$`, "of a request to a container"},
	{"benchmarks/savina", `^(body|mine)$`, "of an HTTP request; a slice of the work"},
	{"supervise", `(?i)^(event)?kind$`, "the kind of an event; no actor class"},
	{"supervise", `(?i)due`, "a restart or a kill is due"},
	{"supervise", `^level$`, "of the log"},
	{"group", `^(restartD|d)ue$`, "a restart is due"},
	{"group", `^level$`, "of the log"},
	{"group", `^kind$`, "of a hook; no actor class"},
	{"group", `(?i)asker$|^standing|^Standing$`, "names of package actor"},
	{"benchmarks/savina", `(?i)credit|kind$|^(level|body|mine)$`, "of accounts, requests and rooms"},
	{"benchmarks/heap", `^kinds$`, "of garbage; decision 26 is about them"},
	{"cmd/pingpong", `^Spares$`, "a field of the JSON that other programs read"},
	{"examples/sessions", `^(maxB|b)ody$`, "of an HTTP request"},
	{"gallopvet", `^body$`, "of a loop"},
	{"gallopvet", `^Kind$`, "of go/types"},
	{"gallopvet", `^duty$`, "rule GV7: what a function has to do"},
}

// exemptText says where a comment or page may contain an old word, and why.
var exemptText = []struct{ file, words, reason string }{
	{"internal/policy/words_test.go", `.`, "it lists them"},
	{"docs/operating.md", `all spares are in use`, "a line of the log"},
	{"docs/metrics.md", `all spares are in use|spills`, "a line of the log; as in Stats"},
	{"cmd/pingpong/figures.go", `jsonWorker|Spares`, "a field of the JSON that other programs read"},
	{"actor/*.go", `^(Test)?(Same)?Asker(_Double)?$`, "of the API"},
}

// ownNames are old words in names that comments and pages have to use as they are: those of the
// public API and of the environment. Names of tests are looked at where they are declared.
var ownNames = []string{
	"Asker", "mustBeAsker", "duty", "GALLOP_BATCHES",
	"Spares", // of the JSON of cmd/pingpong
}

// mostVague is how often all comments may say nobody, somebody or whoever.
const mostVague = 10

// phrases are never to stand in a comment or on a page.
var phrases = []struct{ pattern, now string }{
	{`(?i)\btells? whether\b`, "report whether"},
	{`(?i)\bGo's collector\b`, "the GC"},
	{`(?i)\bwritten out\b`, "inlined by hand"},
	{`(?i)\b(anybody|everybody)\b`, "the name of the role"},
}

const (
	mostBehind  = 60  // characters of a comment behind code
	mostColumns = 100 // of a line; a tab counts as one
	leastShare  = 30  // per cent of the lines of a hot file that are comments
)

// hotFiles are explained best. Blank lines do not count.
var hotFiles = regexp.MustCompile(
	`^(sched/(idle|park|mpmcq|sysmon(_[a-z]+)?)|actor/(turn|send)(_[a-z]+)?)\.go$`)

// ruled reports whether the rules apply to a file by now.
func ruled(name string) bool {
	for _, dir := range ruledAgain {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	for _, dir := range notYet {
		if path.Dir(name) == dir || dir != "." && strings.HasPrefix(name, dir+"/") {
			return false
		}
	}
	return !slices.ContainsFunc(records, func(r string) bool { return strings.HasPrefix(name, r) })
}

// segments splits a name at its capitals and underscores, into lower case.
func segments(name string) (out []string) {
	runes := []rune(name)
	start := 0
	cut := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		lower := i > 0 && unicode.IsLower(runes[i-1])
		starts := unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		switch {
		case r == '_':
			cut(i)
			start = i + 1
		case unicode.IsUpper(r) && (lower || starts):
			cut(i)
		}
	}
	cut(len(runes))
	return out
}

// nameWords and textWords lead from an old word to what replaced it.
var nameWords, textWords = func() (names, text map[string]string) {
	names, text = map[string]string{}, map[string]string{}
	for _, o := range oldWords {
		for _, w := range strings.Fields(o.words) {
			names[w] = o.now
			if o.inText {
				text[w] = o.now
			}
		}
	}
	return names, text
}()

// oldIn returns the old word in a name, or "".
func oldIn(dir, name string) string {
	for _, e := range exempt {
		below := e.dir == dir || strings.HasPrefix(dir, e.dir+"/")
		if below && regexp.MustCompile(e.names).MatchString(name) {
			return ""
		}
	}
	if whole := lowerFirst(name); oldNames[whole] != "" {
		return whole
	}
	for _, s := range segments(name) {
		if nameWords[s] != "" {
			return s
		}
	}
	return ""
}

// replacement returns what is to be used instead of an old word or name.
func replacement(old string) string {
	if now := oldNames[old]; now != "" {
		return now
	}
	return nameWords[old]
}

// lowerFirst returns a name that is not exported.
func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// namesAreStandard holds that no name that the module gives contains an old word.
func namesAreStandard(r *repo) []string {
	var problems []string
	for _, f := range r.gos {
		if !ruled(f.path) {
			continue
		}
		reported := map[string]bool{}
		name := func(id *ast.Ident) {
			if w := oldIn(f.dir, id.Name); w != "" && !reported[id.Name] {
				reported[id.Name] = true
				problems = append(problems, r.at(id)+id.Name+": not "+w+" but "+replacement(w))
			}
		}
		eachName(f.File, name)
		if w := oldIn(f.dir, strings.TrimSuffix(path.Base(f.path), ".go")); w != "" {
			problems = append(problems, f.path+": not "+w+" but "+replacement(w))
		}
	}
	return problems
}

// eachName visits the names of a file, without those that another package has given.
func eachName(f *ast.File, visit func(*ast.Ident)) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // its field or method is named where it is declared
			eachIn(n.X, visit)
			return false
		case *ast.KeyValueExpr:
			if _, key := n.Key.(*ast.Ident); !key {
				eachIn(n.Key, visit)
			}
			eachIn(n.Value, visit)
			return false
		case *ast.Ident:
			visit(n)
		}
		return true
	})
}

// eachIn is eachName for an expression.
func eachIn(e ast.Expr, visit func(*ast.Ident)) {
	file := &ast.File{Name: ast.NewIdent("_"), Decls: []ast.Decl{&ast.GenDecl{
		Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Values: []ast.Expr{e}}},
	}}}
	eachName(file, visit)
}

// textLine is a line of a comment or page.
type textLine struct{ at, file, text string }

// ruledProse lists the lines of all comments and pages to which the rules apply.
func (r *repo) ruledProse() (out []textLine) {
	for _, f := range r.gos {
		if !ruled(f.path) {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				for i, line := range strings.Split(c.Text, "\n") {
					at := f.path + ":" + strconv.Itoa(r.line(c.Pos())+i) + ": "
					out = append(out, textLine{at, f.path, line})
				}
			}
		}
	}
	for name, text := range r.text {
		if ext := path.Ext(name); ext != ".md" && ext != ".pml" || !ruled(name) {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			out = append(out, textLine{name + ":" + strconv.Itoa(i+1) + ": ", name, line})
		}
	}
	slices.SortFunc(out, func(a, b textLine) int { return strings.Compare(a.at, b.at) })
	return out
}

var anyWord = regexp.MustCompile(`[\pL\pN_]+`)

// textIsStandard holds that comments and pages contain no old word, and no phrase that is out.
func textIsStandard(r *repo) []string {
	var problems []string
	for _, l := range r.ruledProse() {
		if slices.ContainsFunc(exemptText, func(e struct{ file, words, reason string }) bool {
			return e.file == l.file && regexp.MustCompile(e.words).MatchString(l.text)
		}) {
			continue
		}
		for _, word := range anyWord.FindAllString(l.text, -1) {
			if slices.Contains(ownNames, word) || testInText.MatchString(word) {
				continue
			}
			for _, w := range segments(word) {
				if now := textWords[w]; now != "" {
					problems = append(problems, l.at+word+": not "+w+" but "+now)
				}
			}
		}
		for _, p := range phrases {
			if s := regexp.MustCompile(p.pattern).FindString(l.text); s != "" {
				problems = append(problems, l.at+"not "+strconv.Quote(s)+" but "+p.now)
			}
		}
	}
	return problems
}

var vague = regexp.MustCompile(`(?i)\b(nobody|somebody|whoever)\b`)

// rolesAreNamed returns the rule that comments name the role, but for so many places.
func rolesAreNamed(most int) func(r *repo) []string {
	return func(r *repo) []string {
		var found []string
		for _, l := range r.ruledProse() {
			if strings.HasSuffix(l.file, ".go") && l.file != "internal/policy/words_test.go" {
				for _, w := range vague.FindAllString(l.text, -1) {
					found = append(found, l.at+w+": name the role")
				}
			}
		}
		if len(found) <= most {
			return nil
		}
		return []string{strconv.Itoa(len(found)) + " places: " + strings.Join(found, "\n")}
	}
}

// linesAreShort holds that lines and the comments behind code are not too long.
func linesAreShort(r *repo) []string {
	var problems []string
	for _, f := range r.gos {
		if ruled(f.path) {
			problems = append(problems, r.longIn(f)...)
		}
	}
	for name, text := range r.text {
		if path.Ext(name) != ".md" && path.Ext(name) != ".pml" || !ruled(name) {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if tooLong(line) && !strings.HasPrefix(strings.TrimSpace(line), "|") {
				problems = append(problems, name+":"+strconv.Itoa(i+1)+": over 100 columns")
			}
		}
	}
	slices.Sort(problems)
	return problems
}

func tooLong(line string) bool {
	return utf8.RuneCountInString(line) > mostColumns && !strings.Contains(line, "://")
}

// longIn is linesAreShort for one file.
func (r *repo) longIn(f *goFile) []string {
	var problems []string
	lines := strings.Split(f.src, "\n")
	raw, output := r.rawLines(f), r.outputLines(f)
	for i, line := range lines {
		if tooLong(line) && !raw[i+1] && !strings.Contains(line, "//go:") && !output[i+1] {
			problems = append(problems, f.path+":"+strconv.Itoa(i+1)+": over 100 columns")
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			p := r.fset.Position(c.Pos())
			behind := strings.TrimSpace(lines[p.Line-1][:p.Column-1]) != ""
			if behind && utf8.RuneCountInString(c.Text) > mostBehind {
				problems = append(problems, r.at(c)+"over 60 characters behind code")
			}
		}
	}
	return problems
}

// outputLines are the lines of comments that say what an example prints.
func (r *repo) outputLines(f *goFile) map[int]bool {
	output := map[int]bool{}
	for _, group := range f.Comments {
		if strings.HasPrefix(group.Text(), "Output:") {
			for _, c := range group.List {
				output[r.line(c.Pos())] = true
			}
		}
	}
	return output
}

// rawLines are the lines with a part of a raw string, which cannot be broken.
func (r *repo) rawLines(f *goFile) map[int]bool {
	raw := map[int]bool{}
	ast.Inspect(f.File, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
			for l := r.line(lit.Pos()); l <= r.line(lit.End()); l++ {
				raw[l] = true
			}
		}
		return true
	})
	return raw
}

// hotFilesAreExplained holds that enough lines of each hot file are comments.
func hotFilesAreExplained(r *repo) []string {
	var problems []string
	for _, f := range r.gos {
		if f.test || !hotFiles.MatchString(f.path) || !ruled(f.path) {
			continue
		}
		if share := commentShare(f.src); share < leastShare {
			problems = append(problems, f.path+": "+strconv.Itoa(share)+" % comments")
		}
	}
	return problems
}

// commentShare is how many per cent of the lines that are not blank are comments.
func commentShare(src string) int {
	all, comments := 0, 0
	for line := range strings.SplitSeq(src, "\n") {
		line = strings.TrimSpace(line)
		if line != "" {
			all++
		}
		if strings.HasPrefix(line, "//") {
			comments++
		}
	}
	return 100 * comments / max(all, 1)
}

// TestWords_Names: names are made of the standard words.
func TestWords_Names(t *testing.T) {
	enforce(t, policy{check: namesAreStandard, accepts: tree{
		"sched/x.go": "package sched\ntype slot int\nvar bookkeeping = y.Seat\nfunc homely() {}\n",
		"heap/x.go":  "package heap\nfunc (t *table) collectDue() {}\n",
	}, rejects: []fault{
		{"a type", tree{"sched/y.go": "package sched\ntype freeSeat int\n"},
			"freeSeat: not seat but slot"},
		{"a field", tree{"sched/y.go": "package sched\ntype x struct{ Debt int }\n"}, "Debt: not debt"},
		{"a variable", tree{"sched/y.go": "package sched\nfunc f() { spare := 1 }\n"},
			"spare: not spare"},
		{"a test", tree{"sched/y_test.go": "package sched\nfunc TestK1_RobbedTwice() {}\n"},
			"not robbed"},
		{"a whole name", tree{"sched/y.go": "package sched\nfunc TakeOver() {}\n"},
			"not takeOver but revoke"},
		{"a file", tree{"sched/spares_on.go": "package sched\n"}, "sched/spares_on.go: not spares"},
		{"elsewhere", tree{"sched/y.go": "package sched\nvar collectDue int\n"}, "collectDue: not due"},
	}})
}

// TestWords_Text: comments and pages use the standard words.
func TestWords_Text(t *testing.T) {
	enforce(t, policy{check: textIsStandard, accepts: tree{
		"sched/x.go": "package sched\n\n// A slot that is due. He owes it, and still goes home.\n" +
			"var x int\n",
		"sched/README.md": "Tasks wait: it is owed a turn.\n",
	}, rejects: []fault{
		{"a comment", tree{"sched/x.go": "package sched\n\n// One.\n// Two seats.\nvar x int\n"},
			"x.go:4: seats"},
		{"in an identifier", tree{"sched/x.go": "package sched\n\n// See freeSeat.\nvar x int\n"},
			"freeSeat: not seat"},
		{"a page", tree{"sched/README.md": "| a ledger |\n"},
			"README.md:1: ledger: not ledger but wait list"},
		{"a model", tree{"docs/models/x.pml": "/* NO_BURY */\n"}, "x.pml:1: NO_BURY: not bury"},
		{"tells whether", tree{"sched/x.go": "package sched\n\n// It tells whether.\nvar x int\n"},
			"tells whether"},
		{"Go's collector", tree{"sched/x.go": "package sched\n\n// Go's collector.\nvar x int\n"},
			"the GC"},
	}})
}

// TestWords_Roles: nobody, somebody and whoever are few.
func TestWords_Roles(t *testing.T) {
	enforceOn(t, policy{check: rolesAreNamed(1), accepts: tree{
		"sched/x.go": "package sched\n\n// Nobody knows.\nvar x int\n",
	}, rejects: []fault{
		{"one more", tree{"sched/y.go": "package sched\n\n// To whoever comes.\nvar y int\n"},
			"2 places"},
	}}, rolesAreNamed(mostVague))
}

// TestWords_Lines: lines are short, and comments behind code are shorter.
func TestWords_Lines(t *testing.T) {
	long := strings.Repeat("x", mostColumns)
	enforce(t, policy{check: linesAreShort, accepts: tree{
		"sched/x.go": "package sched\n\n// " + long[3:] + "\nvar x int // " + long[:57] + "\nvar " +
			"y = `" + long + "`\n",
		"sched/README.md": "| " + long + " |\nhttps://" + long + "\n",
	}, rejects: []fault{
		{"a comment", tree{"sched/x.go": "package sched\n\n// " + long + "\nvar x int\n"},
			"x.go:3: over 100 columns"},
		{"behind code", tree{"sched/x.go": "package sched\n\nvar x int // " + long[:58] + "\n"},
			"x.go:3: over 60"},
		{"a page", tree{"sched/README.md": "One.\n" + long + "x\n"}, "README.md:2: over 100 columns"},
	}})
}

// TestWords_HotFiles: the hot files are explained.
func TestWords_HotFiles(t *testing.T) {
	enforce(t, policy{check: hotFilesAreExplained, accepts: tree{
		"sched/idle.go": "package sched\n\n// One.\nvar x int\n",
		"sched/cold.go": "package sched\n\nvar x int\nvar y int\n",
	}, rejects: []fault{
		{"one with too little",
			tree{"sched/sysmon_net.go": "package sched\n\nvar x int\nvar y int // z\n"}, "sysmon_net.go: " +
				"0 % comments"},
	}})
}
