package main

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

const (
	// columns if the width is not known: the last of 80 is not safe everywhere
	defaultColumns = 79
	maxColumns     = 100 // columns that a summary takes if there are more
)

// columns is how many columns there are to write in.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return defaultColumns
	}
	if n := terminalWidth(f); n > 0 {
		return min(n-1, maxColumns)
	}
	return defaultColumns
}

// width is how many columns a text takes.
func width(s string) int { return utf8.RuneCountInString(s) }

// flow writes parts with a separator between them. Where the next part does not fit, it begins a
// new line instead of the separator. A part that fits into no line is broken between words. Lines
// after the first are indented; the last has no newline.
func flow(columns, indent int, sep string, parts ...string) string {
	var lines []string
	line := ""
	for _, p := range parts {
		switch {
		case line == "":
			line = p
		case indent+width(line+sep+p) <= columns:
			line += sep + p
		default:
			lines, line = append(lines, line), p
		}
		if words := strings.Fields(line); indent+width(line) > columns && len(words) > 1 {
			folded := strings.Split(flow(columns, indent, " ", words...),
				"\n"+strings.Repeat(" ", indent))
			last := len(folded) - 1
			lines, line = append(lines, folded[:last]...), folded[last]
		}
	}
	return strings.Join(append(lines, line), "\n"+strings.Repeat(" ", indent))
}

// alignTable writes rows of cells one below the other, aligned to the right, with as many of the
// columns as fit.
func alignTable(columns int, rows [][]string) string {
	var b strings.Builder
	widths, fit := fitColumns(columns, rows)
	for _, row := range rows {
		for i, cell := range row[:fit] {
			b.WriteString(strings.Repeat(" ", widths[i]-width(cell)) + cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// fitColumns returns how wide the columns of a table are, including two cells between them, and how
// many fit.
func fitColumns(columns int, rows [][]string) (widths []int, fit int) {
	used := 0
	for i := range rows[0] {
		widest := 0
		for _, row := range rows {
			widest = max(widest, width(row[i]))
		}
		widths = append(widths, 2+widest)
		if used += 2 + widest; used <= columns {
			fit = i + 1
		}
	}
	return widths, fit
}
