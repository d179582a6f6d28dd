package flow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Encode writes a summary as the table has it, without values kept, sent and waited for.
func Encode(s *Summary) string {
	var words []string
	for i, c := range s.classes() {
		if !strings.Contains("wnrcsh", kinds[i:i+1]) {
			continue
		}
		for _, e := range *c {
			result := ""
			if e.Result != 0 || e.At != "" {
				result = strconv.Itoa(e.Result)
			}
			word := fmt.Sprintf("%c%d|%s|%s|%s|%s", kinds[i], e.Param, e.Steps, result, e.At, e.Method)
			words = append(words, strings.TrimRight(word, "|"))
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// InTable is the name of a function in the table.
var InTable = inTable

// Table is the table of the library.
func Table() string { return table }
