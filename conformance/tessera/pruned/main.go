// Command pruned reads a log whose first entries are gone, with Tessera's own client, as the pruning
// rule of C2SP tlog-tiles says: a bundle of entries is not there exactly if it ends at or below the
// minimum index, and everything else is there and right.
//
//	pruned -minimum INDEX -vkey FILE -earlier CHECKPOINT[,CHECKPOINT…] LOG…
//
// LOG is a folder or an http URL; the checkpoints are older heads of it, signed by the same key. It
// shows each log as it is and with one file changed, prints a line as the others of conformance/run
// do, and exits with 1 if anything went the wrong way.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/api/layout"
	"github.com/transparency-dev/tessera/client"
	"golang.org/x/mod/sumdb/note"

	formats "github.com/transparency-dev/formats/log"
)

const (
	width    = 256
	patience = 10 * time.Minute
)

// source is where a log's files come from.
type source struct {
	checkpoint client.CheckpointFetcherFunc
	tile       client.TileFetcherFunc
	bundle     client.EntryBundleFetcherFunc
}

// head is an older head of the log.
type head struct {
	size uint64
	root []byte
}

// claim is what is shown: a log, where it is said to begin, and who signed it.
type claim struct {
	log      source
	minimum  uint64
	verifier note.Verifier
	earlier  []head
}

func main() {
	minimum := flag.Uint64("minimum", 0, "the lowest index that was not pruned")
	key := flag.String("vkey", "", "file with the verifier key")
	earlier := flag.String("earlier", "", "files with older checkpoints, with commas between")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run(ctx, *minimum, *key, strings.Split(*earlier, ","), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, minimum uint64, key string, earlier, logs []string) error {
	text, err := os.ReadFile(key)
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	heads, err := older(earlier, verifier)
	if err != nil {
		return err
	}
	accepted, refused, failed := 0, 0, 0
	for _, place := range logs {
		log, err := open(place)
		if err != nil {
			return err
		}
		good := claim{log, minimum, verifier, heads}
		size, err := good.check(ctx)
		if err != nil {
			fmt.Fprintf(os.Stderr, "FAILED: %s refused: %v\n", place, err)
			failed++
			continue
		}
		twins, err := good.twins(size)
		if err != nil {
			return err
		}
		bad := 0
		for _, t := range twins {
			if _, err := t.claim.check(ctx); err == nil {
				fmt.Fprintf(os.Stderr, "FAILED: %s with %s accepted\n", place, t.what)
				bad++
			} else {
				refused++
			}
		}
		failed += bad
		if bad == 0 {
			accepted++
		}
	}
	fmt.Printf("tessera/client, a purged log: %d accepted, %d tampered refused, %d failed\n",
		accepted, refused, failed)
	if failed > 0 || accepted == 0 || refused == 0 {
		return errors.New("not all went as it should")
	}
	return nil
}

// older reads checkpoints that the key signed.
func older(files []string, verifier note.Verifier) ([]head, error) {
	var heads []head
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		cp, _, _, err := formats.ParseCheckpoint(raw, verifier.Name(), verifier)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		heads = append(heads, head{cp.Size, cp.Hash})
	}
	return heads, nil
}

func open(place string) (source, error) {
	if !strings.HasPrefix(place, "http://") {
		files := client.FileFetcher{Root: place}
		return source{files.ReadCheckpoint, files.ReadTile, files.ReadEntryBundle}, nil
	}
	root, err := url.Parse(place)
	if err != nil {
		return source{}, err
	}
	served, err := client.NewHTTPFetcher(root, &http.Client{Transport: goneIsAbsent{}})
	if err != nil {
		return source{}, err
	}
	return source{served.ReadCheckpoint, served.ReadTile, served.ReadEntryBundle}, nil
}

// goneIsAbsent makes 410 a 404: the client knows only that one as the answer that there is no file.
type goneIsAbsent struct{}

func (goneIsAbsent) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusGone {
		return answer, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	answer.StatusCode, answer.Body = http.StatusNotFound, http.NoBody
	return answer, err
}

// check answers the size of the log if all of it is as claimed.
func (c claim) check(ctx context.Context) (uint64, error) {
	cp, _, _, err := client.FetchCheckpoint(ctx, c.log.checkpoint, c.verifier, c.verifier.Name())
	if err != nil {
		return 0, err
	}
	if c.minimum > cp.Size {
		return 0, fmt.Errorf("the minimum index is %d, the log has %d entries", c.minimum, cp.Size)
	}
	if err := c.checkHashes(ctx, cp); err != nil {
		return 0, err
	}
	proofs, err := client.NewProofBuilder(ctx, cp.Size, c.log.tile)
	if err != nil {
		return 0, err
	}
	for _, h := range c.earlier {
		path, err := proofs.ConsistencyProof(ctx, h.size, cp.Size)
		if err != nil {
			return 0, err
		}
		err = proof.VerifyConsistency(rfc6962.DefaultHasher, h.size, cp.Size, path, h.root, cp.Hash)
		if err != nil {
			return 0, fmt.Errorf("from size %d: %w", h.size, err)
		}
	}
	for index := uint64(0); index*width < cp.Size; index++ {
		if err := c.checkBundle(ctx, proofs, cp, index); err != nil {
			return 0, fmt.Errorf("bundle %d: %w", index, err)
		}
	}
	return cp.Size, nil
}

// checkHashes computes the root from the lowest hash tiles, which this log keeps all of.
func (c claim) checkHashes(ctx context.Context, cp *formats.Checkpoint) error {
	hashes, err := client.FetchLeafHashes(ctx, c.log.tile, 0, cp.Size, cp.Size)
	if err != nil {
		return err
	}
	tree := (&compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}).NewEmptyRange(0)
	for _, hash := range hashes {
		if err := tree.Append(hash, nil); err != nil {
			return err
		}
	}
	root, err := tree.GetRootHash(nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(root, cp.Hash) {
		return fmt.Errorf("%d leaf hashes give another root than the checkpoint's", len(hashes))
	}
	return nil
}

func (c claim) checkBundle(
	ctx context.Context, proofs *client.ProofBuilder, cp *formats.Checkpoint, index uint64,
) error {
	partial := layout.PartialTileSize(0, index, cp.Size)
	raw, err := c.log.bundle(ctx, index, partial)
	if (index+1)*width <= c.minimum {
		if err == nil {
			return errors.New("it is there, and ends at or below the minimum index")
		}
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	var bundle api.EntryBundle
	if err := bundle.UnmarshalText(raw); err != nil {
		return err
	}
	want := width
	if partial > 0 {
		want = int(partial)
	}
	if len(bundle.Entries) != want {
		return fmt.Errorf("it has %d entries, want %d", len(bundle.Entries), want)
	}
	for i, entry := range bundle.Entries {
		at := index*width + uint64(i)
		path, err := proofs.InclusionProof(ctx, at)
		if err != nil {
			return err
		}
		err = proof.VerifyInclusion(rfc6962.DefaultHasher, at, cp.Size,
			rfc6962.DefaultHasher.HashLeaf(entry), path, cp.Hash)
		if err != nil {
			return fmt.Errorf("entry %d: %w", at, err)
		}
	}
	return nil
}

type twin struct {
	what  string
	claim claim
}

// change makes another content of a file, or none.
type change struct {
	what string
	make func([]byte) []byte
}

var changes = []change{
	{"a flipped bit in its third byte", func(b []byte) []byte { return flipped(b, 2) }},
	{"a flipped bit in its last byte", func(b []byte) []byte { return flipped(b, len(b)-1) }},
	{"its last 32 bytes cut off", func(b []byte) []byte { return b[:max(0, len(b)-32)] }},
	{"no content but there", func([]byte) []byte { return []byte{} }},
	{"it missing", func([]byte) []byte { return nil }},
}

func flipped(content []byte, at int) []byte {
	twin := slices.Clone(content)
	twin[at] ^= 1
	return twin
}

func (c claim) twins(size uint64) ([]twin, error) {
	lowest, newest := c.minimum/width, (size-1)/width
	if lowest == 0 || newest <= lowest+1 || size%width == 0 {
		return nil, fmt.Errorf("size %d and minimum %d leave too little to change", size, c.minimum)
	}
	part := func(level, index uint64) string {
		return layout.TilePath(level, index, layout.PartialTileSize(level, index, size))
	}
	files := []string{
		layout.CheckpointPath, part(0, 0), part(0, lowest), part(0, newest), part(1, 0),
		layout.EntriesPath(lowest, 0), layout.EntriesPath(lowest+1, 0),
		layout.EntriesPath(newest, layout.PartialTileSize(0, newest, size)),
	}
	var twins []twin
	for _, file := range files {
		for _, each := range changes {
			t := c
			t.log = c.log.with(file, each.make)
			twins = append(twins, twin{file + ", " + each.what, t})
		}
	}
	back := c
	back.log = c.log.with(layout.EntriesPath(lowest-1, 0), func([]byte) []byte { return []byte{} })
	twins = append(twins, twin{"a bundle that was pruned there again", back})
	for what, minimum := range map[string]uint64{
		"a minimum index a bundle lower":  (lowest - 1) * width,
		"a minimum index a bundle higher": (lowest + 1) * width,
		"a minimum index above the size":  size + 1,
	} {
		t := c
		t.minimum = minimum
		twins = append(twins, twin{what, t})
	}
	_, other, err := note.GenerateKey(nil, c.verifier.Name())
	if err != nil {
		return nil, err
	}
	stranger := c
	if stranger.verifier, err = note.NewVerifier(other); err != nil {
		return nil, err
	}
	twins = append(twins, twin{"another key of the same name", stranger})
	for i, h := range c.earlier {
		t := c
		t.earlier = slices.Clone(c.earlier)
		t.earlier[i] = head{h.size, flipped(h.root, 7)}
		twins = append(twins, twin{fmt.Sprintf("another root at size %d", h.size), t})
	}
	return twins, nil
}

// with is the source with one file changed, also where it has none.
func (s source) with(file string, make func([]byte) []byte) source {
	changed := func(path string, content []byte, err error) ([]byte, error) {
		if path != file || err != nil && !errors.Is(err, os.ErrNotExist) {
			return content, err
		}
		if twin := make(content); twin != nil {
			return twin, nil
		}
		return nil, os.ErrNotExist
	}
	return source{
		checkpoint: func(ctx context.Context) ([]byte, error) {
			content, err := s.checkpoint(ctx)
			return changed(layout.CheckpointPath, content, err)
		},
		tile: func(ctx context.Context, level, index uint64, p uint8) ([]byte, error) {
			content, err := s.tile(ctx, level, index, p)
			return changed(layout.TilePath(level, index, p), content, err)
		},
		bundle: func(ctx context.Context, index uint64, p uint8) ([]byte, error) {
			content, err := s.bundle(ctx, index, p)
			return changed(layout.EntriesPath(index, p), content, err)
		},
	}
}
