package flow

// Encode is what a line of the table says of a summary.
var Encode = encode

// InTable is the name of a function in the table.
var InTable = inTable

// Table is the table of the library.
func Table() string { return table }
