package observe

import (
	"os"
	"path/filepath"
	"sync"
)

// apiProgram says which process a system is in. Several systems in it differ by the addresses of
// their pages.
type apiProgram struct {
	Name string `json:"program"`
	PID  int    `json:"pid"`
	Host string `json:"host"`
}

var thisProgram = sync.OnceValue(func() apiProgram {
	p := apiProgram{Name: "unknown", PID: os.Getpid(), Host: "unknown"}
	if path, err := os.Executable(); err == nil {
		p.Name = filepath.Base(path)
	}
	if host, err := os.Hostname(); err == nil {
		p.Host = host
	}
	return p
})
