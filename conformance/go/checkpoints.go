package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
)

type checkpoint struct {
	Note   []byte   `json:"note"` // base64
	Vkey   string   `json:"vkey"`
	Origin string   `json:"origin"`
	Size   uint64   `json:"size"`
	Root   hexBytes `json:"root"`
}

// noteVerifier is one foreign reader of checkpoints.
type noteVerifier struct {
	name  string
	check func(checkpoint) error
}

var noteVerifiers = []noteVerifier{
	{"x/mod/sumdb/note", openNote},
	{"transparency-dev/formats/log", parseCheckpoint},
}

// openNote checks the signature and that the text says what the case says.
func openNote(c checkpoint) error {
	verifier, err := note.NewVerifier(c.Vkey)
	if err != nil {
		return err
	}
	opened, err := note.Open(c.Note, note.VerifierList(verifier))
	if err != nil {
		return err
	}
	want := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root))
	if opened.Text != want {
		return fmt.Errorf("text is %q, want %q", opened.Text, want)
	}
	return nil
}

func parseCheckpoint(c checkpoint) error {
	verifier, err := note.NewVerifier(c.Vkey)
	if err != nil {
		return err
	}
	parsed, rest, _, err := log.ParseCheckpoint(c.Note, c.Origin, verifier)
	if err != nil {
		return err
	}
	if parsed.Size != c.Size || !bytes.Equal(parsed.Hash, c.Root) || len(rest) != 0 {
		return errors.New("states another head, or more than a head")
	}
	return nil
}

func verifyCheckpoint(line []byte, into *tally) error {
	var c checkpoint
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	twins, err := checkpointTwins(c)
	if err != nil {
		return err
	}
	for _, v := range noteVerifiers {
		judge(into, v.name, fmt.Sprintf("checkpoint of size %d", c.Size), v.check, c, twins)
	}
	return nil
}

func checkpointTwins(c checkpoint) ([]twin[checkpoint], error) {
	split := bytes.LastIndex(c.Note, []byte("\n\n")) + 1
	if split == 0 {
		return nil, errors.New("note without a blank line")
	}
	var twins []twin[checkpoint]
	add := func(what string, t checkpoint) {
		twins = append(twins, twin[checkpoint]{what: what, c: t})
	}
	for i := range c.Note[:split] {
		t := c
		t.Note = slices.Clone(c.Note)
		t.Note[i] ^= 1 << (i % 8)
		add(fmt.Sprintf("a flipped bit in byte %d of its text", i), t)
	}
	signatures, err := flippedSignatures(string(c.Note[split+1:]))
	if err != nil {
		return nil, err
	}
	for i, changed := range signatures {
		t := c
		t.Note = append(slices.Clone(c.Note[:split+1]), changed...)
		add(fmt.Sprintf("a flipped bit in byte %d of its signature", i), t)
	}
	bare := c
	bare.Note = c.Note[:split+1]
	add("no signature", bare)
	longer := c
	longer.Note = slices.Insert(slices.Clone(c.Note), split, []byte("extension\n")...)
	add("an extension line", longer)
	other := c
	if other.Vkey, err = otherKey(c.Vkey); err != nil {
		return nil, err
	}
	add("another key of the same name", other)
	return twins, nil
}

// flippedSignatures changes each byte of the one signature: four of key id, then the Ed25519
// signature. Its base64 text is made anew, because the last letter has bits that mean nothing.
func flippedSignatures(line string) ([]string, error) {
	fields := strings.Fields(line)
	if len(fields) != 3 || strings.Count(line, "\n") != 1 {
		return nil, fmt.Errorf("want one signature line, have %q", line)
	}
	signature, err := base64.StdEncoding.DecodeString(fields[2])
	if err != nil {
		return nil, err
	}
	var changed []string
	for i := range signature {
		twin := slices.Clone(signature)
		twin[i] ^= 1 << (i % 8)
		changed = append(changed, fmt.Sprintf("%s %s %s\n",
			fields[0], fields[1], base64.StdEncoding.EncodeToString(twin)))
	}
	return changed, nil
}

// otherKey is a fresh key under the name of vkey.
func otherKey(vkey string) (string, error) {
	name, _, found := strings.Cut(vkey, "+")
	if !found {
		return "", fmt.Errorf("verifier key without a plus: %q", vkey)
	}
	_, other, err := note.GenerateKey(nil, name)
	return other, err
}
