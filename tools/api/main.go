// Command api compares the exported API of the module with the accepted one, which is that of the
// last release, and fails if the changelog does not name a difference.
//
//	go -C tools run ./api            compare
//	go -C tools run ./api -accept    write the API of now to docs/api, at a release
//
// The accepted API is text, a line for each exported identifier, so that a review shows the
// changes. The idea is that of the directory api in the repository of Go.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", "..", "the module's directory")
	accept := flag.Bool("accept", false, "write the API of now to docs/api")
	flag.Parse()
	if err := run(*root, *accept); err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

func run(root string, accept bool) error {
	now, err := exported(root)
	if err != nil {
		return err
	}
	file := filepath.Join(root, "docs", "api", "accepted.txt")
	if accept {
		return write(file, now)
	}
	before, err := read(file)
	if err != nil {
		return err
	}
	news, err := unreleased(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	return explain(unnamed(difference(before, now), news))
}

// explain returns an error that lists the changes that the changelog does not name.
func explain(changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	text := ""
	for _, c := range changes {
		text += "\n  " + c.String()
	}
	return fmt.Errorf("section [Unreleased] of CHANGELOG.md does not name %d changes:%s\n"+
		"Write there what a user writes instead, with `%s` in backquotes.",
		len(changes), text, changes[0].name)
}
