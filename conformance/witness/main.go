// A witness of transparency-dev/witness, and foreign verifiers of what witnesses sign.
//
//	witness serve PORT LOGS   a witness on loopback that knows the logs whose verifier keys stand in
//	                          the file LOGS, a line each; it prints its own verifier key
//	witness key               prints the verifier key of another witness
//	witness verify NOTE LOG WITNESS   reads a cosigned checkpoint by sumdb/note and formats/log and
//	                          shows them tampered forms of it
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	flog "github.com/transparency-dev/formats/log"
	fnote "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
)

func main() {
	log.SetFlags(0)
	var public string
	var err error
	switch {
	case len(os.Args) == 4 && os.Args[1] == "serve":
		err = serve(os.Args[2], os.Args[3])
	case len(os.Args) == 2 && os.Args[1] == "key":
		_, public, err = newKey()
		fmt.Println(public)
	case len(os.Args) == 5 && os.Args[1] == "verify":
		err = verify(os.Args[2], os.Args[3], os.Args[4])
	default:
		err = errors.New("usage: witness serve PORT LOGS | witness key | witness verify NOTE LOG WITNESS")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// newKey makes a secret key, and the verifier key's text of type cosignature/v1.
func newKey() (secret, public string, err error) {
	secret, plain, err := note.GenerateKey(rand.Reader, "witness.example")
	if err != nil {
		return "", "", err
	}
	public, err = fnote.VKeyToCosignatureV1(plain)
	return secret, public, err
}

func serve(port, logs string) error {
	secret, public, err := newKey()
	if err != nil {
		return err
	}
	signer, err := fnote.NewSignerForCosignatureV1(secret)
	if err != nil {
		return err
	}
	w, err := witness.New(context.Background(), witness.Opts{
		Persistence:    inmemory.New(),
		Signers:        []note.Signer{signer},
		VerifierForLog: func(_ context.Context, origin string) (note.Verifier, bool, error) { return known(logs, origin) },
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", witness.NewHTTPHandler(w).AddCheckpoint)
	fmt.Println(public)
	return http.ListenAndServe("127.0.0.1:"+port, mux)
}

// known reads the list anew each time: a ledger may be founded while the witness runs.
func known(logs, origin string) (note.Verifier, bool, error) {
	list, err := os.ReadFile(logs)
	if err != nil {
		return nil, false, err
	}
	for _, key := range strings.Fields(string(list)) {
		verifier, err := note.NewVerifier(key)
		if err != nil {
			return nil, false, err
		}
		if verifier.Name() == origin {
			return verifier, true, nil
		}
	}
	return nil, false, nil
}

// reader opens a checkpoint that a log and a witness must both have signed.
type reader struct {
	log, witness note.Verifier
}

func (r reader) open(raw []byte) error {
	opened, err := note.Open(raw, note.VerifierList(r.log, r.witness))
	if err != nil {
		return err
	}
	if !signedBy(opened, r.log) || !signedBy(opened, r.witness) {
		return errors.New("a signature is missing")
	}
	_, _, parsed, err := flog.ParseCheckpoint(raw, r.log.Name(), r.log, r.witness)
	if err != nil {
		return err
	}
	if !signedBy(parsed, r.witness) {
		return errors.New("formats/log finds no cosignature")
	}
	_, err = fnote.CoSigV1Timestamp(signature(parsed, r.witness))
	return err
}

func signedBy(opened *note.Note, by note.Verifier) bool {
	return signature(opened, by).Name != ""
}

func signature(opened *note.Note, by note.Verifier) note.Signature {
	for _, each := range opened.Sigs {
		if each.Name == by.Name() && each.Hash == by.KeyHash() {
			return each
		}
	}
	return note.Signature{}
}

func verify(file, logKey, witnessKey string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	logVerifier, err := note.NewVerifier(logKey)
	if err != nil {
		return err
	}
	witnessVerifier, err := fnote.NewVerifierForCosignatureV1(witnessKey)
	if err != nil {
		return err
	}
	r := reader{logVerifier, witnessVerifier}
	if err := r.open(raw); err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	refused, failed := 0, 0
	for name, twin := range twins(raw) {
		if r.open(twin) == nil {
			failed++
			log.Printf("accepted with %s", name)
		} else {
			refused++
		}
	}
	fmt.Printf("%d twins refused\n", refused)
	if failed > 0 {
		return fmt.Errorf("%d tampered forms accepted", failed)
	}
	return nil
}

// twins are a checkpoint with one change each: every byte of the text, every signature byte, and
// each line left out.
func twins(raw []byte) map[string][]byte {
	all := map[string][]byte{}
	text := bytes.Index(raw, []byte("\n\n")) + 1
	for at := range text {
		twin := bytes.Clone(raw)
		twin[at] ^= 1
		all[fmt.Sprintf("a changed byte %d of the text", at)] = twin
	}
	lines := strings.SplitAfter(string(raw[text+1:]), "\n")
	for i, line := range lines {
		if line == "" {
			continue
		}
		head := string(raw[:text+1])
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
		all[fmt.Sprintf("line %d left out", i)] = []byte(head + before + after)
		space := strings.LastIndex(line, " ") + 1
		blob, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line[space:]))
		if err != nil {
			panic(err)
		}
		for at := range blob {
			bent := bytes.Clone(blob)
			bent[at] ^= 1
			all[fmt.Sprintf("a changed byte %d of signature %d", at, i)] =
				[]byte(head + before + line[:space] + base64.StdEncoding.EncodeToString(bent) + "\n" + after)
		}
	}
	return all
}
