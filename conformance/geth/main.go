// Command verifytrie shows go-ethereum what the clue trie says of clues: each case must be accepted
// as it is, and refused in every tampered form.
//
//	verifytrie FILE
//
// The file is described in conformance/README.md. It prints one line and exits with 1 if any case
// went the wrong way, or if the file holds fewer cases than it says.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"
)

const (
	lineBytesMax = 1 << 20
	failuresMax  = 20
)

// ending begins the last line, which counts the cases before it.
const ending = `{"kind":"end"`

// hexBytes is a byte string written in hexadecimal.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) error {
	value, err := hex.DecodeString(string(text))
	*h = value
	return err
}

// claim is what a proof is said to show: that the clue has this value, or, if it is empty, that it
// was never used.
type claim struct {
	ClueID hexBytes   `json:"clueId"`
	Other  hexBytes   `json:"other"`
	Root   hexBytes   `json:"root"`
	Value  hexBytes   `json:"value"`
	Nodes  []hexBytes `json:"nodes"`
}

// nodeSet finds nodes by their hash, as go-ethereum's verifier asks for them.
type nodeSet map[common.Hash][]byte

func (s nodeSet) Has(key []byte) (bool, error) {
	_, found := s[common.BytesToHash(key)]
	return found, nil
}

func (s nodeSet) Get(key []byte) ([]byte, error) {
	node, found := s[common.BytesToHash(key)]
	if !found {
		return nil, errors.New("no such node")
	}
	return node, nil
}

func (c claim) check() error {
	nodes := nodeSet{}
	for _, node := range c.Nodes {
		nodes[crypto.Keccak256Hash(node)] = node
	}
	value, err := trie.VerifyProof(common.BytesToHash(c.Root), crypto.Keccak256(c.ClueID), nodes)
	if err != nil {
		return err
	}
	if !bytes.Equal(value, c.Value) {
		return fmt.Errorf("value is %x, want %x", value, []byte(c.Value))
	}
	return nil
}

// twin is a changed claim.
type twin struct {
	what string
	c    claim
}

func (c claim) twins() []twin {
	var twins []twin
	add := func(what string, change func(*claim)) {
		t := c
		t.Nodes = slices.Clone(c.Nodes)
		change(&t)
		twins = append(twins, twin{what, t})
	}
	for i := range c.Nodes {
		add("a flipped node", func(t *claim) { t.Nodes[i] = flipped(t.Nodes[i], 8*i+len(c.Nodes)) })
		add("a node cut short", func(t *claim) { t.Nodes[i] = t.Nodes[i][:len(t.Nodes[i])-1] })
		add("a node missing", func(t *claim) { t.Nodes = slices.Delete(t.Nodes, i, i+1) })
	}
	add("a flipped root", func(t *claim) { t.Root = flipped(t.Root, 77) })
	add("no node", func(t *claim) { t.Nodes = nil })
	add("another clue's id", func(t *claim) { t.ClueID = c.Other })
	if len(c.Value) > 0 {
		add("another value", func(t *claim) { t.Value = flipped(t.Value, 9) })
		add("absence claimed", func(t *claim) { t.Value = nil })
	} else {
		add("presence claimed", func(t *claim) { t.Value = c.Root })
	}
	return twins
}

func flipped(value hexBytes, bit int) hexBytes {
	changed := slices.Clone(value)
	changed[bit/8%len(changed)] ^= 1 << (bit % 8)
	return changed
}

// counts is what came of all cases.
type counts struct {
	accepted, refused, failed int
}

func (n *counts) fail(what string) {
	if n.failed < failuresMax {
		fmt.Fprintln(os.Stderr, "FAILED go-ethereum:", what)
	}
	n.failed++
}

func (n *counts) judge(c claim) {
	if err := c.check(); err != nil {
		n.fail(fmt.Sprintf("clue %x refused: %v", []byte(c.ClueID), err))
		return
	}
	twins := c.twins()
	for _, t := range twins {
		if t.c.check() == nil {
			n.fail(fmt.Sprintf("clue %x with %s: accepted", []byte(c.ClueID), t.what))
			return
		}
	}
	n.accepted++
	n.refused += len(twins)
}

func verifyFile(name string) (counts, error) {
	var n counts
	file, err := os.Open(name)
	if err != nil {
		return n, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 1<<16), lineBytesMax)
	cases := 0
	for lines.Scan() {
		line := lines.Bytes()
		if bytes.HasPrefix(line, []byte(ending)) {
			return n, checkEnd(line, cases, lines.Scan())
		}
		var c claim
		if err := json.Unmarshal(line, &c); err != nil {
			return n, err
		}
		n.judge(c)
		cases++
	}
	return n, errors.Join(errors.New("no last line that counts the cases"), lines.Err())
}

func checkEnd(line []byte, cases int, more bool) error {
	var end struct {
		Cases int `json:"cases"`
	}
	if err := json.Unmarshal(line, &end); err != nil {
		return err
	}
	if more || cases != end.Cases || cases == 0 {
		return fmt.Errorf("%d cases, the last line says %d", cases, end.Cases)
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: verifytrie FILE")
		os.Exit(2)
	}
	n, err := verifyFile(os.Args[1])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	fmt.Printf("go-ethereum: %d accepted, %d tampered refused, %d failed\n",
		n.accepted, n.refused, n.failed)
	if n.failed > 0 || n.accepted == 0 || n.refused == 0 {
		os.Exit(1)
	}
}
