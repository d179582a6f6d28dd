package observe

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed page
var pageFiles embed.FS

// servePage serves the page itself. Its files are few and small. Browsers revalidate them at each
// request, so that a new version of the program never meets scripts of the old one.
func (h *handler) servePage() {
	files, err := fs.Sub(pageFiles, "page")
	if err != nil {
		panic(err) // the files are embedded
	}
	h.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if wantsText(r) {
			writeText(w, index())
			return
		}
		serveFile(w, r, files, "index.html")
	})
	h.mux.HandleFunc("GET /page/{file}", func(w http.ResponseWriter, r *http.Request) {
		serveFile(w, r, files, r.PathValue("file"))
	})
	h.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeText(w, []byte("ok\n"))
	})
}

func serveFile(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	head := w.Header()
	head.Set("Content-Type", typeOf(name))
	head.Set("Cache-Control", "no-cache")
	head.Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(data) // the connection is the client's concern
}

// typeOf returns the content type of a file of the page. The tables of the machine may be wrong.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// wantsText reports whether a client prefers text: it asks for text, or, like curl, accepts neither
// HTML nor JSON by name.
func wantsText(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, "text/html") || strings.Contains(accept, "application/json") {
		return false
	}
	return true
}
