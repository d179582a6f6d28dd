package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// change is a line that is new, or gone.
type change struct {
	line
	gone bool
}

func (c change) String() string {
	if c.gone {
		return "- " + c.text
	}
	return "+ " + c.text
}

// packagesOf returns the paths of the packages of an API.
func packagesOf(api []line) map[string]bool {
	all := map[string]bool{}
	for _, l := range api {
		path, _, _ := strings.Cut(l.text, ":")
		all[path] = true
	}
	return all
}

// difference returns the lines that are in one of the two only, in the order of the names. A
// package that has gone is one change.
func difference(before, now []line) (all []change) {
	stays := packagesOf(now)
	for path := range packagesOf(before) {
		if !stays[path] {
			all = append(all, change{line{strings.ReplaceAll(path, "/", "."), path + ": the package"}, true})
		}
	}
	for _, l := range before {
		if path, _, _ := strings.Cut(l.text, ":"); stays[path] && !slices.Contains(now, l) {
			all = append(all, change{l, true})
		}
	}
	for _, l := range now {
		if !slices.Contains(before, l) {
			all = append(all, change{l, false})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.name, b.name) })
	return all
}

// unnamed returns the changes that no item of news names.
func unnamed(all []change, news string) (left []change) {
	items := items(news)
	for _, c := range all {
		if !slices.ContainsFunc(items, func(words []string) bool { return named(c.name, words) }) {
			left = append(left, c)
		}
	}
	return left
}

// items returns the words in backquotes of each item of a changelog: a paragraph, a point of a
// list, or a row of a table.
func items(news string) (all [][]string) {
	for _, mark := range []string{"\n- ", "\n|"} {
		news = strings.ReplaceAll(news, mark, "\n\n")
	}
	for item := range strings.SplitSeq(news, "\n\n") {
		var words []string
		for i, code := range strings.Split(item, "`") {
			if i%2 == 1 { // and not between two pieces of code
				words = slices.AppendSeq(words, strings.FieldsFuncSeq(code, notInName))
			}
		}
		all = append(all, words)
	}
	return all
}

// named reports whether words name an identifier: Start or actor.Start; System.Run, or Run beside
// System.
func named(name string, words []string) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			return word == name || strings.HasSuffix(word, "."+name)
		})
	}
	typ, member, isMember := strings.Cut(name, ".")
	return has(name) || isMember && has(typ) && has(member)
}

func notInName(r rune) bool {
	return r != '.' && r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
}

// unreleased returns the section [Unreleased] of a changelog.
func unreleased(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(text), "\n## [Unreleased]")
	if !ok {
		return "", fmt.Errorf("%s has no section [Unreleased]", file)
	}
	section, _, _ := strings.Cut(rest, "\n## [")
	return section, nil
}

// write makes the file of an API: each line is a name, a tab and a text.
func write(file string, all []line) error {
	var text strings.Builder
	for _, l := range all {
		fmt.Fprintf(&text, "%s\t%s\n", l.name, l.text)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

func read(file string) (all []line, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		name, text, ok := strings.Cut(s.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("%s: not a line of an API: %q", file, s.Text())
		}
		all = append(all, line{name, text})
	}
	return all, nil
}
