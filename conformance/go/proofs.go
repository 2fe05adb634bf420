package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"
)

const hashBytes = 32

// hexBytes is a byte string written in hexadecimal.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) error {
	value, err := hex.DecodeString(string(text))
	*h = value
	return err
}

type inclusion struct {
	Index int64      `json:"index"`
	Size  int64      `json:"size"`
	Leaf  hexBytes   `json:"leafHash"`
	Path  []hexBytes `json:"path"`
	Root  hexBytes   `json:"root"`
}

type consistency struct {
	From     int64      `json:"from"`
	To       int64      `json:"to"`
	FromRoot hexBytes   `json:"fromRoot"`
	ToRoot   hexBytes   `json:"toRoot"`
	Path     []hexBytes `json:"path"`
}

// proofVerifier is one foreign implementation of RFC 9162's two checks.
type proofVerifier struct {
	name        string
	inclusion   func(inclusion) error
	consistency func(consistency) error
}

var proofVerifiers = []proofVerifier{
	{"transparency-dev/merkle", merkleInclusion, merkleConsistency},
	{"x/mod/sumdb/tlog", tlogInclusion, tlogConsistency},
}

func merkleInclusion(c inclusion) error {
	return proof.VerifyInclusion(rfc6962.DefaultHasher,
		uint64(c.Index), uint64(c.Size), c.Leaf, raw(c.Path), c.Root)
}

func merkleConsistency(c consistency) error {
	return proof.VerifyConsistency(rfc6962.DefaultHasher,
		uint64(c.From), uint64(c.To), raw(c.Path), c.FromRoot, c.ToRoot)
}

func tlogInclusion(c inclusion) error {
	return tlog.CheckRecord(hashes(c.Path), c.Size, tlog.Hash(c.Root), c.Index, tlog.Hash(c.Leaf))
}

func tlogConsistency(c consistency) error {
	return tlog.CheckTree(hashes(c.Path), c.To, tlog.Hash(c.ToRoot), c.From, tlog.Hash(c.FromRoot))
}

func verifyInclusion(line []byte, into *tally) error {
	var c inclusion
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	if err := checkWidths(append(slices.Clone(c.Path), c.Leaf, c.Root)); err != nil {
		return err
	}
	twins := inclusionTwins(c)
	for _, v := range proofVerifiers {
		judge(into, v.name, describe("inclusion", c.Index, c.Size), v.inclusion, c, twins)
	}
	return nil
}

func verifyConsistency(line []byte, into *tally) error {
	var c consistency
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	if err := checkWidths(append(slices.Clone(c.Path), c.FromRoot, c.ToRoot)); err != nil {
		return err
	}
	twins := consistencyTwins(c)
	for _, v := range proofVerifiers {
		judge(into, v.name, describe("consistency", c.From, c.To), v.consistency, c, twins)
	}
	return nil
}

// twin is a changed case. same is set where the changed size leaves every step of the computation as
// it was: such a proof holds for both sizes, and only a signed size tells them apart.
type twin[T any] struct {
	what string
	c    T
	same bool
}

func judge[T any](into *tally, name, what string, check func(T) error, good T, twins []twin[T]) {
	count := into.of(name)
	if err := check(good); err != nil {
		into.fail(name, fmt.Sprintf("%s refused: %v", what, err))
		count.failed++
		return
	}
	for _, t := range twins {
		accepted := check(t.c) == nil
		if accepted != t.same {
			into.fail(name, fmt.Sprintf("%s with %s: accepted %v", what, t.what, accepted))
			count.failed++
			return
		}
		if accepted {
			count.neighbour++
		} else {
			count.refused++
		}
	}
	count.accepted++
}

func inclusionTwins(c inclusion) []twin[inclusion] {
	bit := uint(c.Index*7 + c.Size)
	var twins []twin[inclusion]
	add := func(what string, change func(*inclusion)) {
		t := c
		change(&t)
		same := t.Index == c.Index && t.Size != c.Size && t.Index < t.Size &&
			inclusionShape(t.Index, t.Size) == inclusionShape(c.Index, c.Size)
		twins = append(twins, twin[inclusion]{what, t, same})
	}
	add("a flipped leaf", func(t *inclusion) { t.Leaf = flipped(t.Leaf, bit) })
	add("a flipped root", func(t *inclusion) { t.Root = flipped(t.Root, bit) })
	for i := range c.Path {
		add("a flipped path", func(t *inclusion) { t.Path = flippedAt(t.Path, i, bit) })
	}
	if len(c.Path) > 0 {
		add("a path one short", func(t *inclusion) { t.Path = t.Path[:len(t.Path)-1] })
	}
	add("a path one long", func(t *inclusion) { t.Path = longer(t.Path, c.Root) })
	add("index + 1", func(t *inclusion) { t.Index++ })
	add("index - 1", func(t *inclusion) { t.Index-- })
	add("size + 1", func(t *inclusion) { t.Size++ })
	add("size - 1", func(t *inclusion) { t.Size-- })
	return twins
}

func consistencyTwins(c consistency) []twin[consistency] {
	bit := uint(c.From*7 + c.To)
	var twins []twin[consistency]
	add := func(what string, change func(*consistency)) {
		t := c
		change(&t)
		same := (t.From != c.From || t.To != c.To) && t.From <= t.To &&
			consistencyShape(t.From, t.To) == consistencyShape(c.From, c.To)
		twins = append(twins, twin[consistency]{what, t, same})
	}
	add("a flipped older root", func(t *consistency) { t.FromRoot = flipped(t.FromRoot, bit) })
	add("a flipped newer root", func(t *consistency) { t.ToRoot = flipped(t.ToRoot, bit) })
	for i := range c.Path {
		add("a flipped path", func(t *consistency) { t.Path = flippedAt(t.Path, i, bit) })
	}
	if len(c.Path) > 0 {
		add("a path one short", func(t *consistency) { t.Path = t.Path[:len(t.Path)-1] })
	}
	add("a path one long", func(t *consistency) { t.Path = longer(t.Path, c.ToRoot) })
	add("older size + 1", func(t *consistency) { t.From++ })
	if c.From > 1 { // every tree continues the empty one: there is nothing to refuse
		add("older size - 1", func(t *consistency) { t.From-- })
	}
	add("newer size + 1", func(t *consistency) { t.To++ })
	add("newer size - 1", func(t *consistency) { t.To-- })
	return twins
}

// shape is all that a verifier's computation depends on besides the hashes: how many siblings stand
// on which side.
type shape struct {
	equal, complete bool
	inner, border   int
	sides           uint64
}

func inclusionShape(index, size int64) shape {
	inner := bits.Len64(uint64(index ^ (size - 1)))
	return shape{
		inner:  inner,
		border: bits.OnesCount64(uint64(index) >> inner),
		sides:  uint64(index) & (1<<inner - 1),
	}
}

// consistencyShape is the shape of the older tree's last complete subtree in the newer tree.
func consistencyShape(from, to int64) shape {
	if from == to {
		return shape{equal: true}
	}
	level := bits.TrailingZeros64(uint64(from))
	s := inclusionShape((from-1)>>level, (to-1)>>level+1)
	s.complete = from == 1<<level
	return s
}

func flipped(hash hexBytes, bit uint) hexBytes {
	changed := slices.Clone(hash)
	changed[bit/8%hashBytes] ^= 1 << (bit % 8)
	return changed
}

func flippedAt(path []hexBytes, at int, bit uint) []hexBytes {
	changed := slices.Clone(path)
	changed[at] = flipped(path[at], bit+uint(at))
	return changed
}

func longer(path []hexBytes, last hexBytes) []hexBytes {
	return append(slices.Clone(path), last)
}

func checkWidths(all []hexBytes) error {
	for _, hash := range all {
		if len(hash) != hashBytes {
			return fmt.Errorf("hash of %d bytes, want %d", len(hash), hashBytes)
		}
	}
	return nil
}

func describe(what string, a, b int64) string {
	return fmt.Sprintf("%s %d of %d", what, a, b)
}

func raw(path []hexBytes) [][]byte {
	result := make([][]byte, len(path))
	for i, hash := range path {
		result[i] = hash
	}
	return result
}

func hashes(path []hexBytes) []tlog.Hash {
	result := make([]tlog.Hash, len(path))
	for i, hash := range path {
		result[i] = tlog.Hash(hash)
	}
	return result
}
