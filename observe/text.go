package observe

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// appendText appends an answer of the API as text for people: lists as tables, other values as
// lines.
func appendText(text []byte, answer any) []byte {
	var b bytes.Buffer
	writeValue(&b, "", reflect.ValueOf(answer))
	return append(text, b.Bytes()...)
}

func writeValue(b *bytes.Buffer, title string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		writeTable(b, title, v)
	case reflect.Map:
		writeMap(b, v)
	default:
		writeFields(b, title, v)
	}
}

func writeMap(b *bytes.Buffer, v reflect.Value) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		return strings.Compare(a.String(),
			b.String())
	})
	for _, k := range keys {
		fmt.Fprintf(b, "%s %v\n", k, v.MapIndex(k))
	}
}

// writeFields writes a struct: its short fields first, then its lists.
func writeFields(b *bytes.Buffer, title string, v reflect.Value) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if title != "" {
		fmt.Fprintf(w, "%s\n", title)
	}
	var lists [][]int
	for _, field := range reflect.VisibleFields(v.Type()) {
		if field.Anonymous {
			continue // its fields are visible
		}
		f := v.FieldByIndex(field.Index)
		if f.Kind() == reflect.Slice || f.Kind() == reflect.Struct && isGroup(f) {
			lists = append(lists, field.Index)
			continue
		}
		if c := cell(f); c != "" {
			fmt.Fprintf(w, "%s\t%s\n", nameOf(field), c)
		}
	}
	_ = w.Flush() // writes to b never fail
	for _, i := range lists {
		b.WriteByte('\n')
		writeValue(b, strings.ToUpper(nameOf(v.Type().FieldByIndex(i))), v.FieldByIndex(i))
	}
}

// isGroup reports whether a struct is written as lines of its own, and not in one cell.
func isGroup(v reflect.Value) bool {
	switch v.Interface().(type) {
	case time.Time, apiActor:
		return false
	}
	return true
}

// writeTable writes a list of structs. A field that is empty in every struct has no column. A value
// of several lines follows its row.
func writeTable(b *bytes.Buffer, title string, list reflect.Value) {
	if title != "" {
		fmt.Fprintf(b, "%s\n", title)
	}
	if list.Len() == 0 {
		b.WriteString("none\n")
		return
	}
	if list.Type().Elem().Kind() != reflect.Struct ||
		list.Type().Elem() == reflect.TypeFor[apiActor]() {
		for i := range list.Len() {
			fmt.Fprintln(b, cell(list.Index(i)))
		}
		return
	}
	if list.Type().Elem() == reflect.TypeFor[apiNode]() {
		writeTree(b, "", list.Interface().([]apiNode))
		return
	}
	if list.Type().Elem() == reflect.TypeFor[apiLint]() {
		writeLints(b, list.Interface().([]apiLint))
		return
	}
	writeRows(b, list)
}

// writeLints writes findings as rows, with lines for the details of each.
func writeLints(b *bytes.Buffer, all []apiLint) {
	fmt.Fprintf(b, "%-17s  %-8s  TEXT\n", "RULE", "SEVERITY")
	for _, l := range all {
		fmt.Fprintf(b, "%-17s  %-8s  %s\n", l.Rule, l.Severity, oneLine(l.Text))
		fmt.Fprintf(b, "  for %s, since %s", ageText(l.Age), l.Since.Format(time.TimeOnly))
		if l.Path != "" {
			fmt.Fprintf(b, "; path %s", oneLine(l.Path))
		}
		if gone := l.Since.Add(time.Duration(l.Age * float64(time.Second))).Sub(l.Last); gone >= tick {
			fmt.Fprintf(b, "; last seen %s ago", ageText(gone.Seconds()))
		}
		fmt.Fprintf(b, "\n  what to do: %s\n", oneLine(l.Advice))
		for _, also := range l.Also {
			fmt.Fprintf(b, "  also: %s\n", oneLine(also))
		}
	}
}

// ageText formats seconds for people.
func ageText(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < 10*time.Second {
		return short(d.Round(100 * time.Millisecond))
	}
	return fmt.Sprint(d.Round(time.Second))
}

func writeRows(b *bytes.Buffer, list reflect.Value) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	columns, long := columnsOf(list)
	row := func(cell func(i int) string) {
		for k, c := range columns {
			if k > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, cell(c))
		}
		fmt.Fprint(w, "\n")
	}
	row(func(i int) string { return strings.ToUpper(nameOf(list.Type().Elem().Field(i))) })
	for i := range list.Len() {
		row(func(c int) string { return cell(list.Index(i).Field(c)) })
	}
	_ = w.Flush() // writes to b never fail
	for i := range list.Len() {
		for _, c := range long {
			if text := list.Index(i).Field(c).String(); text != "" {
				fmt.Fprintf(b, "\n%d. %s\n%s\n", i+1, nameOf(list.Type().Elem().Field(c)), text)
			}
		}
	}
}

// columnsOf returns the fields that become columns, and the fields with several lines.
func columnsOf(list reflect.Value) (columns, long []int) {
	for c := range list.Type().Elem().NumField() {
		some, lines := false, false
		for i := range list.Len() {
			f := list.Index(i).Field(c)
			some = some || !f.IsZero()
			lines = lines || f.Kind() == reflect.String && strings.Contains(f.String(), "\n")
		}
		switch {
		case lines:
			long = append(long, c)
		case some:
			columns = append(columns, c)
		}
	}
	return columns, long
}

func writeTree(b *bytes.Buffer, indent string, nodes []apiNode) {
	for _, n := range nodes {
		fmt.Fprintf(b, "%s%s %s#%d %s", indent, oneLine(n.Name), oneLine(n.Type), n.ID, n.State)
		if n.Restarts > 0 {
			fmt.Fprintf(b, ", %d restarts", n.Restarts)
		}
		if n.Last != "" {
			fmt.Fprintf(b, ", last: %s", oneLine(n.Last))
		}
		b.WriteByte('\n')
		writeTree(b, indent+"  ", n.Children)
	}
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.ReplaceAll(name, "_", " ")
}

// cell returns a value in one line.
func cell(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Time:
		return x.Format("15:04:05.000")
	case apiActor:
		return x.label()
	case *apiActor:
		if x == nil {
			return ""
		}
		return x.label()
	case float64:
		return figure(x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, cell(v.Index(i)))
		}
		return strings.Join(all, " ")
	case reflect.Bool:
		if !v.Bool() {
			return ""
		}
		return "yes"
	}
	return oneLine(fmt.Sprint(v.Interface()))
}

func (a apiActor) label() string {
	text := fmt.Sprintf("%s#%d", a.Type, a.ID)
	if a.Name != "" {
		text += " (" + a.Name + ")"
	}
	return oneLine(text)
}

// figure formats a number so that its size is seen at a glance.
func figure(x float64) string {
	switch {
	case x == float64(int64(x)):
		return fmt.Sprintf("%d", int64(x))
	case x >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// oneLine removes characters that control a terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)
}
