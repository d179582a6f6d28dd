package flow

import (
	_ "embed"
	"go/types"
	"strconv"
	"strings"
	"sync"
)

// table has the effects of the functions of Go's library on their arguments, package by package: a
// test derives it from their SSA form. Each effect is its kind, the parameter, and, as far as they
// are needed, the steps, the result, the place in the result, and the method.
//
//go:embed library.txt
var table string

// byHand corrects the table for functions that use assembly, reflection or package unsafe, and for
// methods of interfaces, where it has the effects of all implementations. An entry with a + is an
// addition.
var byHand = map[string]string{
	"maps.Clone":    "r0|[]|0|[]",
	"maps.clone":    "r0|[]|0|[]",
	"slices.Clone":  "r0|[]|0|[]",
	"slices.Concat": "",
	"maps.Values":   "r0", "maps.All": "r0", "slices.Values": "r0", "slices.All": "r0", "slices.Backward": "r0",
	"slices.Collect": "r0|[]|0|[] c0", "maps.Collect": "r0|[]|0|[] c0", "slices.SortedFunc": "r0|[]|0|[] c0 c1",
	"bytes.Clone": "", "strings.Clone": "",
	"sort.Slice": "w0|[] c1", "sort.SliceStable": "w0|[] c1",
	"encoding/json.Unmarshal": "w1|[]", "(*encoding/json.Decoder).Decode": "w1|[] w0",
	"encoding/xml.Unmarshal": "w1|[]", "(*encoding/xml.Decoder).Decode": "w1|[]",
	"(*encoding/gob.Decoder).Decode": "w1|[]", "encoding/binary.Read": "w2|[]",
	"encoding/asn1.Unmarshal":   "w1|[]",
	"(*database/sql.Rows).Scan": "w1|[]*", "(*database/sql.Row).Scan": "w1|[]*",
	"encoding/json.NewEncoder": "r0||0|.w", "bufio.NewWriter": "r0||0|.wr", "encoding/csv.NewWriter": "r0||0|.w.wr",
	"compress/gzip.NewWriter": "r0||0|.w", "text/tabwriter.NewWriter": "r0||0|.output",
	"(io.Reader).Read": "w1|[]", "(io.ReaderAt).ReadAt": "w1|[]", "(net.Conn).Read": "w1|[]",
	"(*os.File).Read": "w1|[]", "(*os.File).ReadAt": "w1|[]", "(*bufio.Reader).Read": "w1|[] w0",
	"(*container/list.List).MoveToBack": "+w0|.root.next", "(*container/list.List).MoveToFront": "+w0|.root.next",
	"(*container/list.List).MoveBefore": "+w0|.root.next", "(*container/list.List).MoveAfter": "+w0|.root.next",
	"(*bufio.Scanner).Scan": "+w0|.token[]",
	"io.ReadFull":           "+w1|[]", "io.ReadAtLeast": "+w1|[]",
	"crypto/rand.Read":  "w0|[]",
	"(*sync.Pool).Put":  "w1|[]",
	"(*sync.Pool).Get":  "",
	"time.AfterFunc":    "s1",
	"context.AfterFunc": "s1",
	"net/http.Handle":   "s1", "net/http.HandleFunc": "s1",
	"(*net/http.ServeMux).Handle": "s2", "(*net/http.ServeMux).HandleFunc": "s2",
	"(*sync.WaitGroup).Go": "s1", "(*sync.Once).Do": "c1",
	"(*golang.org/x/sync/errgroup.Group).Go":    "s1",
	"(*golang.org/x/sync/errgroup.Group).TryGo": "s1",
	"(*net/http.Server).RegisterOnShutdown":     "s1",
	"runtime.SetFinalizer":                      "s1",
	"errors.As":                                 "", "errors.Is": "",
}

// kinds are the kinds of effects in the table, by class.
const kinds = "wnkxrcsmih"

func decode(text string) *Summary {
	s := &Summary{}
	for _, word := range strings.Fields(text) {
		part := strings.Split(word[1:]+"||||", "|")
		e := Effect{Steps: part[1], At: part[3], Method: part[4]}
		e.Param, _ = strconv.Atoi(part[0])
		e.Result, _ = strconv.Atoi(part[2])
		to := s.classes()[strings.IndexByte(kinds, word[0])]
		*to = append(*to, e)
	}
	return s
}

// known is the table, read once. It has every package of the library, with its functions.
var known = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	var of map[string]string
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if path, ok := strings.CutPrefix(line, "# "); ok {
			of = map[string]string{}
			all[path] = of
			continue
		}
		name, effects, _ := strings.Cut(line, " ")
		of[name] = effects
	}
	return all
})

func inLibrary(pkg *types.Package) bool { return known()[pkg.Path()] != nil }

// inTable is the name of a function in the table: without the path of its package, which comes
// before.
func inTable(fn *types.Func) string {
	return strings.Replace(fn.FullName(), fn.Pkg().Path()+".", "", 1)
}

func library(fn *types.Func) *Summary {
	text, ok := byHand[fn.FullName()]
	if more, also := strings.CutPrefix(text, "+"); also {
		return decode(more + " " + known()[fn.Pkg().Path()][inTable(fn)])
	}
	if !ok && !Everything {
		text, ok = known()[fn.Pkg().Path()][inTable(fn)]
	}
	if !ok {
		return nil
	}
	return decode(text)
}
