package policy

import (
	"go/ast"
	"go/build"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// page is one Markdown file, taken apart.
type page struct {
	path   string
	prose  []string // the lines; those of fenced blocks are empty
	blocks []block
}

// block is one fenced block.
type block struct {
	line int // of its fence
	lang string
	text string
}

var fence = regexp.MustCompile("^\\s*(```+|~~~+)\\s*([^`\\s]*)")

func parsePage(name, text string) page {
	p := page{path: name}
	open := ""
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		prose := ""
		switch {
		case open == "" && m != nil:
			open = m[1]
			p.blocks = append(p.blocks, block{line: i + 1, lang: m[2]})
		case open == "":
			prose = line
		case m != nil && m[2] == "" && strings.HasPrefix(m[1], open):
			open = ""
		default:
			p.blocks[len(p.blocks)-1].text += line + "\n"
		}
		p.prose = append(p.prose, prose)
	}
	return p
}

func (p page) at(i int) string { return p.path + ":" + strconv.Itoa(i+1) + ": " }

func (r *repo) pages() []page {
	var pages []page
	for _, name := range r.markdown() {
		pages = append(pages, parsePage(name, r.text[name]))
	}
	return pages
}

var (
	codeSpan = regexp.MustCompile("``[^`](?:.*?[^`])?``|`[^`]+`")
	links    = []*regexp.Regexp{
		regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)`),
		regexp.MustCompile(`^\s*\[[^\]]+\]:\s+(\S+)`),
		regexp.MustCompile(`(?:src|href)="([^"]+)"`),
	}
)

// linksResolve holds that every relative link leads to a file, and its fragment
// to a heading.
func linksResolve(r *repo) []string {
	var problems []string
	for _, p := range r.pages() {
		for i, line := range p.prose {
			line = codeSpan.ReplaceAllString(line, "")
			for _, link := range links {
				for _, m := range link.FindAllStringSubmatch(line, -1) {
					if why := r.broken(p.path, m[1]); why != "" {
						problems = append(problems, p.at(i)+"link "+m[1]+": "+why)
					}
				}
			}
		}
	}
	return problems
}

// broken describes the problem of a link. It is "" if the link is good or leads outside.
func (r *repo) broken(from, link string) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return ""
	}
	target, fragment, _ := strings.Cut(link, "#")
	switch {
	case target == "":
		target = from
	case strings.HasPrefix(target, "/"):
		target = path.Clean(target[1:])
	default:
		target = path.Join(path.Dir(from), target)
	}
	switch {
	case !r.paths[target]:
		return "no such file"
	case fragment != "" && path.Ext(target) == ".md" &&
		!slices.Contains(anchors(r.text[target]), fragment):
		return "no such heading"
	}
	return ""
}

var heading = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)

// anchors are the fragments that the headings of a page make.
func anchors(text string) []string {
	var got []string
	seen := map[string]int{}
	for _, line := range parsePage("", text).prose {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		slug := slugOf(m[1])
		if n := seen[slug]; n > 0 {
			got = append(got, slug+"-"+strconv.Itoa(n))
		} else {
			got = append(got, slug)
		}
		seen[slug]++
	}
	return got
}

var (
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInASlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func slugOf(heading string) string {
	s := linkText.ReplaceAllString(heading, "$1")
	s = notInASlug.ReplaceAllString(strings.ToLower(s), "")
	return strings.ReplaceAll(s, " ", "-")
}

// namesExist holds that names in backticks in prose exist: paths, Go and
// Markdown files, and functions that are tests.
//
// A word is a path if it starts with a directory of ours, or ends in .go or .md
// and is not a file of Go's own source. A file name alone may be anywhere in the
// repository. Words with holes in them (0001-<title>.md) are patterns: at least
// one file must match.
func namesExist(r *repo) []string {
	var problems []string
	tests := r.testNames()
	for _, p := range r.pages() {
		for i, line := range p.prose {
			for _, span := range codeSpan.FindAllString(line, -1) {
				for word := range strings.FieldsSeq(strings.Trim(span, "`")) {
					if why := r.absent(p.path, word, tests); why != "" {
						problems = append(problems, p.at(i)+"`"+word+"`: "+why)
					}
				}
			}
		}
	}
	return problems
}

var (
	lineSuffix = regexp.MustCompile(`(:\d+(-\d+)?|#L\d+(-L?\d+)?)$`)
	pathWord   = regexp.MustCompile(`^(?:\.{1,2}/)*[\w.*+-]+(/[\w.*+-]+)*/?$`)
	testWord   = regexp.MustCompile(`^(Test|Benchmark|Example|Fuzz)([A-Z0-9_]\w*)$`)
)

func (r *repo) absent(from, word string, tests map[string]bool) string {
	word = strings.Trim(word, ",;()\"'")
	name, _, _ := strings.Cut(word, "/")
	if testWord.MatchString(name) {
		if !tests[name] {
			return "no such test"
		}
		return ""
	}
	word = lineSuffix.ReplaceAllString(word, "")
	word = strings.TrimSuffix(strings.TrimSuffix(word, "..."), "/")
	if !pathWord.MatchString(word) || r.found(from, word) {
		return ""
	}
	if r.looksOurs(from, word) {
		return "no such file"
	}
	return ""
}

// found reports whether a word names a file or directory, seen from the page or from the root. A
// bare name may be anywhere.
func (r *repo) found(from, word string) bool {
	for name := range r.paths {
		for _, want := range []string{path.Join(path.Dir(from), word), path.Clean(word)} {
			if ok, _ := path.Match(want, name); ok {
				return true
			}
		}
		if ok, _ := path.Match(word, path.Base(name)); ok && !strings.Contains(word, "/") {
			return true
		}
	}
	return false
}

// looksOurs reports whether a word that names nothing was meant to name a file of
// this repository.
func (r *repo) looksOurs(from, word string) bool {
	if strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") {
		return true
	}
	first, _, deep := strings.Cut(word, "/")
	if deep && (r.paths[first] || r.paths[path.Join(path.Dir(from), first)]) && first != "." {
		return true
	}
	if ext := path.Ext(word); ext != ".go" && ext != ".md" || strings.HasPrefix(word, "*") ||
		strings.HasPrefix(word, "_") {
		return false
	}
	return !deep || !strings.Contains(first, ".") && !inGo(word)
}

// inGo reports whether a path is one of Go's own source.
func inGo(name string) bool {
	_, err := os.Stat(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(name)))
	return err == nil
}

// testNames are the names of all test functions, of all modules.
func (r *repo) testNames() map[string]bool {
	names := map[string]bool{}
	for _, f := range r.gos {
		if !f.test {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

// TestLinksResolve: every relative link leads somewhere.
func TestLinksResolve(t *testing.T) {
	enforce(t, policy{check: linksResolve, accepts: tree{
		"README.md": "# Gallop\n## Why `so`, and how?\n## Twice\n## Twice\n" +
			"[a](docs/a.md) [b](#why-so-and-how) ![c](docs/c.png \"title\") <img src=\"docs/c.png\">\n" +
			"[d](docs/) [e](https://example.com/x) [f](docs/a.md#two) [g](#twice-1) [h][ref] [i](/docs/a.md)\n" +
			"[ref]: docs/a.md#one\n`Foo[T](x)` is code\n```go\n[x](gone)\n```\n[j](heap/x.go#L3)\n",
		"docs/a.md":  "# One\n[up](../README.md) [side](b.md)\n# [Two](b.md)\n",
		"docs/b.md":  "~~~\n```\n# no heading\n~~~\n",
		"docs/c.png": "png",
		"heap/x.go":  "package heap\n",
	}, rejects: []fault{
		{"file", tree{"x.md": "[a](gone.md)"}, "x.md:1: link gone.md: no such file"},
		{"image", tree{"x.md": "![a](docs/gone.png)"}, "no such file"},
		{"wrong directory", tree{"docs/x.md": "[a](docs/a.md)"}, "no such file"},
		{"outside of the repository", tree{"x.md": "[a](../gone.md)"}, "no such file"},
		{"reference", tree{"x.md": "[a][b]\n\n[b]: gone.md\n"}, "x.md:3: link gone.md"},
		{"html", tree{"x.md": `<a href="gone.md">`}, "no such file"},
		{"from the root", tree{"docs/x.md": "[a](/gone.md)"}, "no such file"},
		{"heading", tree{"x.md": "[a](docs/a.md#gone)"}, "no such heading"},
		{"heading of its own", tree{"x.md": "# X\n[a](#y)"}, "no such heading"},
		{"heading in a block", tree{"x.md": "[a](docs/b.md#no-heading)"}, "no such heading"},
		{"second of two on a line", tree{"x.md": "[a](README.md) [b](gone)"}, "link gone"},
		{"in another module", tree{"bench/go.mod": "module b\n", "bench/x.md": "[a](gone)"}, "link gone"},
	}})
}

// TestNamesInProseExist: the names in backticks in prose exist.
func TestNamesInProseExist(t *testing.T) {
	enforce(t, policy{check: namesExist, accepts: tree{
		"README.md": "`actor/actor.go` `actor/` `actor` `./actor` `go test ./actor/...` `actor.go:12` " +
			"`actor/*.go`\n" +
			"`sync/atomic` `linux/arm64` `net/http` `runtime/proc.go` `go.uber.org/atomic` " +
			"`example.com/x/y.go`\n" +
			"`TestHop` `BenchmarkHop/small` `Test` `Testing` `_test.go` `*.md` `GOOS/GOARCH` `foo.rs` " +
			"`a/b`\n" +
			"``actor/gone`s`` actor/gone.go\n```sh\ngo test ./gone\n```\n",
		"actor/README.md":     "`actor.go` `../README.md` `sub/sub.go`\n",
		"actor/actor.go":      "package actor\n",
		"actor/sub/sub.go":    "package sub\n",
		"actor/actor_test.go": "package actor\nfunc TestHop() {}\nfunc BenchmarkHop() {}\n",
	}, rejects: []fault{
		{"file", tree{"x.md": "`actor/gone.go`"}, "x.md:1: `actor/gone.go`: no such file"},
		{"directory", tree{"x.md": "`actor/gone/`"}, "no such file"},
		{"with a line", tree{"x.md": "`actor/gone.go:12`"}, "no such file"},
		{"in a command", tree{"x.md": "`go test -race ./gone/...`"}, "`./gone/...`: no such file"},
		{"Go file of no directory of ours", tree{"x.md": "`aktor/actor.go`"}, "no such file"},
		{"bare Go file", tree{"x.md": "`gone.go`"}, "no such file"},
		{"bare Markdown file", tree{"x.md": "`GONE.md`"}, "no such file"},
		{"beside the page", tree{"actor/x.md": "`sub/gone`"}, "no such file"},
		{"pattern", tree{"x.md": "`actor/*.s`"}, "no such file"},
		{"two backticks", tree{"x.md": "``actor/gone.go``"}, "no such file"},
		{"test", tree{"x.md": "`TestGone`"}, "no such test"},
		{"test with a case", tree{"x.md": "`TestGone/case`"}, "no such test"},
		{"benchmark", tree{"x.md": "`BenchmarkGone`"}, "no such test"},
		{"production function", tree{"x.md": "`ExampleX`",
			"actor/x.go": "package actor\nfunc ExampleX() {}\n"}, "no such test"},
	}})
}
