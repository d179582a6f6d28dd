// Package browsertest tests the page of package observe in Debian's chromium. The page must draw
// the answers of the API for any number of actors and for hostile names, in both themes and on a
// phone. It must do so without an error in its console, a violation of its Content-Security-Policy
// or a request to another server. It must name the culprits of incidents that began before it was
// opened, which the command incidents plays.
//
// The package is a module of its own, since the browser's protocol needs libraries that gallop does
// without.
//
//	go test ./... -artifacts -outputdir /tmp/shots
//
// leaves pictures of the pages below that directory.
package browsertest
