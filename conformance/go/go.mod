module tallystick.io/conformance

go 1.26.0

require (
	github.com/transparency-dev/formats v0.1.2-0.20260710124811-af9e607161b6
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/mod v0.42.0
)
