package main

import (
	"strconv"
	"strings"
)

// commas writes a number in groups of three digits.
func commas(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number with its noun in the right form.
func plural(n uint64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return commas(n) + " " + more
}

// shortFigure writes a figure with as many digits as mean anything; a missing one is a dash.
func shortFigure(figure float64) string {
	switch {
	case figure == 0:
		return "-"
	case figure < 1000:
		return strconv.FormatFloat(figure, 'f', 1, 64)
	default:
		return commas(uint64(figure))
	}
}

// bar is a bar of at most width cells, filled in eighths of a cell as far as part is
// of whole, and padded.
func bar(part, whole float64, width int) string {
	eighths := 0
	if whole > 0 {
		eighths = int(min(max(part/whole, 0), 1)*float64(8*width) + 0.5)
	}
	out := strings.Repeat("█", eighths/8)
	cells := eighths / 8
	if rest := eighths % 8; rest > 0 {
		out += string([]rune(" ▏▎▍▌▋▊▉")[rest])
		cells++
	}
	return out + strings.Repeat(" ", width-cells)
}
