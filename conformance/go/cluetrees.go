package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"
)

// clueTree is a clue's own tree: its journals' leaf hashes, each hashed as a leaf once more.
type clueTree struct {
	LeafHashes []hexBytes `json:"leafHashes"`
	Root       hexBytes   `json:"root"`
}

var errOtherRoot = errors.New("another root")

// check computes the root with the library's own tree.
func (c clueTree) check() error {
	factory := compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}
	tree := factory.NewEmptyRange(0)
	for _, leafHash := range c.LeafHashes {
		if err := tree.Append(rfc6962.DefaultHasher.HashLeaf(leafHash), nil); err != nil {
			return err
		}
	}
	root, err := tree.GetRootHash(nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(root, c.Root) {
		return errOtherRoot
	}
	return nil
}

func verifyClueTree(line []byte, into *tally) error {
	var c clueTree
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	if err := checkWidths(append(slices.Clone(c.LeafHashes), c.Root)); err != nil {
		return err
	}
	judge(into, "transparency-dev/merkle, clue trees",
		fmt.Sprintf("clue tree of %d", len(c.LeafHashes)), clueTree.check, c, clueTreeTwins(c))
	return nil
}

func clueTreeTwins(c clueTree) []twin[clueTree] {
	var twins []twin[clueTree]
	add := func(what string, change func(*clueTree)) {
		t := clueTree{slices.Clone(c.LeafHashes), c.Root}
		change(&t)
		twins = append(twins, twin[clueTree]{what, t, false})
	}
	last := len(c.LeafHashes) - 1
	add("a flipped root", func(t *clueTree) { t.Root = flipped(t.Root, uint(last)) })
	add("the newest journal withheld", func(t *clueTree) { t.LeafHashes = t.LeafHashes[:last] })
	add("a middle journal withheld", func(t *clueTree) {
		t.LeafHashes = slices.Delete(t.LeafHashes, last/2, last/2+1)
	})
	add("a journal more", func(t *clueTree) { t.LeafHashes = append(t.LeafHashes, c.Root) })
	add("a journal replaced", func(t *clueTree) { t.LeafHashes[last/2] = flipped(c.LeafHashes[last/2], 3) })
	if last > 0 {
		add("two journals swapped", func(t *clueTree) {
			t.LeafHashes[last], t.LeafHashes[last/2] = t.LeafHashes[last/2], t.LeafHashes[last]
		})
	}
	return twins
}
