// Package signer without Tink, whose keys lie in cloud key stores.
package signer

import (
	"context"
	"crypto"
	"errors"
)

var errNoKeyStores = errors.New("this build has no clients of cloud key stores")

// NewTinkSigner always fails.
func NewTinkSigner(string, any) (crypto.Signer, error) {
	return nil, errNoKeyStores
}

// GetPrimaryKey always fails.
func GetPrimaryKey(context.Context, string, string) (any, error) {
	return nil, errNoKeyStores
}
