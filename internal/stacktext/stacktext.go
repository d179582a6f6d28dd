// Package stacktext looks for words in stack traces, as package strings would. The searches and
// cuts of package strings are only in programs that use them. If gallop did, every program with
// gallop in it would be 6 KB larger, for what is done when an actor has crashed.
package stacktext

import "strings"

// Index returns where part begins in text, or -1. It panics if part is empty. It looks at each
// place where part may begin.
func Index(text, part string) int {
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], part[0])
		if n < 0 {
			return -1
		}
		if i += n; strings.HasPrefix(text[i:], part) {
			return i
		}
	}
}

// Cut returns what is before and behind the first sep: all of text, and nothing, if there is none.
func Cut(text, sep string) (before, behind string) {
	if i := Index(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):]
	}
	return text, ""
}
