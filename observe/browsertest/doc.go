// Package browsertest looks at the page of package observe in Debian's chromium: whether it draws
// what the API answers, with any number of actors and with names that are hostile, in both themes
// and on a phone, without an error in its console, a violation of its Content-Security-Policy or a
// request to another server; and whether it finds the culprit of six incidents within 10 s.
//
// A module of its own, since the browser's protocol needs libraries that gallop does without.
//
//	go test ./... -artifacts -outputdir /tmp/shots
//
// leaves pictures of the pages below that directory.
package browsertest
