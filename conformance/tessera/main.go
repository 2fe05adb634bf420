// Command foreignlog makes a log with Tessera's own POSIX storage, for our auditor to judge.
//
//	foreignlog FOLDER
//
// It leaves FOLDER/log (C2SP tlog-tiles), FOLDER/log.vkey, and FOLDER/earlier: the log's checkpoint
// when it had its first entries only. Its key is fresh and is not kept.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

const (
	name = "example.com/log-of-others"

	// Three levels of hash tiles, each with a partial one at its end.
	first = 3000
	size  = 66_100

	batch    = 4096
	patience = 5 * time.Minute
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: foreignlog FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	secret, public, err := note.GenerateKey(nil, name)
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return err
	}
	log := filepath.Join(folder, "log")
	if err := os.MkdirAll(log, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(log+".vkey", []byte(public+"\n"), 0o644); err != nil {
		return err
	}
	if err := grow(ctx, log, signer, 0, first); err != nil {
		return err
	}
	earlier, err := os.ReadFile(filepath.Join(log, "checkpoint"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "earlier"), earlier, 0o644); err != nil {
		return err
	}
	return grow(ctx, log, signer, first, size)
}

// grow appends entries from..to, and returns when the log's checkpoint has them all.
func grow(ctx context.Context, log string, signer note.Signer, from, to int) error {
	driver, err := posix.New(ctx, posix.Config{Path: log})
	if err != nil {
		return err
	}
	options := tessera.NewAppendOptions().
		WithCheckpointSigner(signer).
		WithBatching(batch, 50*time.Millisecond).
		WithCheckpointInterval(100 * time.Millisecond)
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, options)
	if err != nil {
		return err
	}
	published := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, 100*time.Millisecond)
	var last tessera.IndexFuture
	for i := from; i < to; {
		batched := min(to, i+batch)
		for ; i < batched; i++ {
			last = appender.Add(ctx, tessera.NewEntry(entry(i)))
		}
		index, err := last()
		if err != nil {
			return err
		}
		if index.Index != uint64(i-1) {
			return fmt.Errorf("entry %d has index %d", i-1, index.Index)
		}
	}
	if _, _, err := published.Await(ctx, last); err != nil {
		return err
	}
	return shutdown(ctx)
}

// entry is empty now and then, and now and then as long as tlog-tiles lets one be.
func entry(i int) []byte {
	switch {
	case i%1000 == 17:
		return nil
	case i%10_000 == 18:
		return bytes.Repeat([]byte{byte(i)}, 1<<16-1)
	default:
		return fmt.Appendf(nil, "entry %d of a log that is not a ledger's", i)
	}
}
