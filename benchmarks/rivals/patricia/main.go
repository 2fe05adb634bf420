// Measures go-ethereum's Merkle Patricia trie: one batch of fresh keys inserted into a trie in
// memory, root included, as benchmarks/rivals/README.md describes. One line of JSON per run.
package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
)

type result struct {
	Seconds float64 `json:"seconds"`
	Root    string  `json:"root"`
	Cores   int     `json:"cores"`
}

func main() {
	base := flag.Int("base", 1_000_000, "keys in the trie before")
	batch := flag.Int("batch", 100_000, "fresh keys inserted")
	runs := flag.Int("runs", 5, "batches measured, one after the other")
	seed := flag.Uint64("seed", 1, "of keys and values")
	flag.Parse()

	database := triedb.NewDatabase(rawdb.NewMemoryDatabase(), nil)
	tree := trie.NewEmpty(database)
	values := rand.New(rand.NewPCG(*seed, 0))
	next := uint64(0)
	insert := func(count int) {
		for range count {
			key, value := entry(*seed, next, values)
			next++
			tree.MustUpdate(key, value)
		}
	}
	insert(*base)
	tree.Hash()
	for range *runs {
		keys := make([][]byte, *batch)
		vals := make([][]byte, *batch)
		for i := range keys {
			keys[i], vals[i] = entry(*seed, next, values)
			next++
		}
		runtime.GC()
		start := time.Now()
		for i := range keys {
			tree.MustUpdate(keys[i], vals[i])
		}
		root := tree.Hash()
		taken := time.Since(start).Seconds()
		if root == types.EmptyRootHash {
			fmt.Fprintln(os.Stderr, "the trie is empty")
			os.Exit(1)
		}
		line, _ := json.Marshal(result{taken, root.Hex(), runtime.GOMAXPROCS(0)})
		fmt.Println(string(line))
	}
}

// entry is key keccak256(seed ‖ number), 32 bytes, and a random value of the size of a clue's: 38
// bytes.
func entry(seed, number uint64, values *rand.Rand) ([]byte, []byte) {
	var name [16]byte
	binary.BigEndian.PutUint64(name[:8], seed)
	binary.BigEndian.PutUint64(name[8:], number)
	value := make([]byte, 40)
	for i := 0; i < len(value); i += 8 {
		binary.BigEndian.PutUint64(value[i:], values.Uint64())
	}
	return crypto.Keccak256(name[:]), value[:38]
}
