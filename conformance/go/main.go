// Command verify shows cases written by Tallystick to code that others wrote: each must be
// accepted as it is, and refused in every tampered form.
//
//	verify [-as SUFFIX] FILE…
//
// The files are described in conformance/README.md. SUFFIX goes behind the name of each verifier. It prints one line per verifier and exits with
// 1 if any case went the wrong way, or if a file holds fewer cases than it says.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
)

const (
	lineBytesMax = 1 << 20
	failuresMax  = 20
)

// ending begins the last line of every file, which counts the cases before it.
const ending = `{"kind":"end"`

func main() {
	suffix := flag.String("as", "", "what goes behind the name of each verifier")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: verify [-as SUFFIX] FILE…")
		os.Exit(2)
	}
	total := newTally()
	for _, name := range flag.Args() {
		if err := verifyFile(name, total); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
	for _, failure := range total.failures {
		fmt.Fprintln(os.Stderr, failure)
	}
	if !total.print(os.Stdout, *suffix) {
		os.Exit(1)
	}
}

func verifyFile(name string, total *tally) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 1<<16), lineBytesMax)
	counted, err := verifyLines(lines, total)
	if err != nil {
		return err
	}
	var end struct {
		Cases int `json:"cases"`
	}
	if err := json.Unmarshal(counted.last, &end); err != nil {
		return fmt.Errorf("no last line that counts the cases: %w", err)
	}
	if counted.cases != end.Cases || counted.cases == 0 {
		return fmt.Errorf("%d cases, the last line says %d", counted.cases, end.Cases)
	}
	return nil
}

// counted is how many cases a file held, and the line that should say so.
type counted struct {
	cases int
	last  []byte
}

// verifyLines spreads the lines over all cores.
func verifyLines(lines *bufio.Scanner, total *tally) (counted, error) {
	work := make(chan []byte, 1024)
	var workers sync.WaitGroup
	var lock sync.Mutex
	var failed error
	for range runtime.NumCPU() {
		workers.Go(func() {
			mine := newTally()
			var err error
			for line := range work {
				if err == nil {
					err = verifyLine(line, mine)
				}
			}
			lock.Lock()
			defer lock.Unlock()
			total.add(mine)
			failed = errors.Join(failed, err)
		})
	}
	var found counted
	for found.last == nil && lines.Scan() {
		line := slices.Clone(lines.Bytes())
		if bytes.HasPrefix(line, []byte(ending)) {
			found.last = line
			continue
		}
		found.cases++
		work <- line
	}
	close(work)
	workers.Wait()
	if lines.Scan() {
		failed = errors.Join(failed, errors.New("lines after the last one"))
	}
	return found, errors.Join(failed, lines.Err())
}

func verifyLine(line []byte, into *tally) error {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "inclusion":
		return verifyInclusion(line, into)
	case "consistency":
		return verifyConsistency(line, into)
	case "checkpoint":
		return verifyCheckpoint(line, into)
	case "clueTree":
		return verifyClueTree(line, into)
	}
	return fmt.Errorf("unknown kind %q", kind.Kind)
}

// tally counts per verifier; the order of names is the order of printing.
type tally struct {
	names    []string
	counts   map[string]*counts
	failures []string
}

type counts struct {
	accepted  int // cases accepted whose every tampered twin was refused
	refused   int // tampered twins refused
	neighbour int // twins at a neighbouring size that no verifier can tell apart
	failed    int // cases with anything else
}

func newTally() *tally {
	return &tally{counts: map[string]*counts{}}
}

func (t *tally) of(name string) *counts {
	c := t.counts[name]
	if c == nil {
		c = &counts{}
		t.counts[name] = c
		t.names = append(t.names, name)
	}
	return c
}

func (t *tally) fail(name, what string) {
	if len(t.failures) < failuresMax {
		t.failures = append(t.failures, fmt.Sprintf("FAILED %s: %s", name, what))
	}
}

func (t *tally) add(other *tally) {
	for _, name := range other.names {
		c, o := t.of(name), other.counts[name]
		c.accepted += o.accepted
		c.refused += o.refused
		c.neighbour += o.neighbour
		c.failed += o.failed
	}
	for _, failure := range other.failures {
		if len(t.failures) < failuresMax {
			t.failures = append(t.failures, failure)
		}
	}
}

// print writes a line per verifier and answers whether all is well.
func (t *tally) print(out io.Writer, suffix string) bool {
	good := len(t.names) > 0
	for _, name := range t.names {
		c := t.counts[name]
		fmt.Fprintf(out, "%s%s: %d accepted, %d tampered refused, %d failed\n",
			name, suffix, c.accepted, c.refused, c.failed)
		if c.neighbour > 0 {
			fmt.Fprintf(out, "  (and %d proofs that hold at a neighbouring size too, as RFC 9162 has it)\n",
				c.neighbour)
		}
		good = good && c.failed == 0 && c.accepted > 0 && c.refused > 0
	}
	return good
}
