// Package browsertest tests the page of package observe in Debian's chromium. The page must draw
// the answers of the API for any number of actors and for hostile names, in both themes and on a
// phone. It must do so without an error in its console, a violation of its Content-Security-Policy
// or a request to another server. It must find the culprit of each of six incidents within 10 s.
//
// The package is a module of its own, since the browser's protocol needs libraries that gallop does
// without.
//
//	go test ./... -artifacts -outputdir /tmp/shots
//
// leaves pictures of the pages below that directory.
package browsertest
