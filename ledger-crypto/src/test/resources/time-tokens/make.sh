#!/bin/sh
# Makes the fixtures beside it with `openssl ts`: a root, a CA below it, an authority below that, and tokens of the file
# `stamped`. The private keys are thrown away. Run in an empty directory; what is left there are the fixtures.
set -eu

cat > openssl.cnf <<'END'
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
[tsa]
basicConstraints = CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[good]
serial = serial
digests = sha256, sha512
default_policy = 1.3.6.1.4.1.99999.1
signer_digest = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
[silent]
serial = serial
digests = sha256
default_policy = 1.3.6.1.4.1.99999.1
signer_digest = sha256
ess_cert_id_alg = sha256
[inaccurate]
serial = serial
digests = sha256
default_policy = 1.3.6.1.4.1.99999.1
signer_digest = sha256
accuracy = secs:1, microsecs:1
ess_cert_id_alg = sha256
[sha1]
serial = serial
digests = sha256
default_policy = 1.3.6.1.4.1.99999.1
signer_digest = sha256
accuracy = secs:1
ess_cert_id_alg = sha1
[weak]
serial = serial
digests = sha256
default_policy = 1.3.6.1.4.1.99999.1
signer_digest = sha1
accuracy = secs:1
ess_cert_id_alg = sha256
END

key() { openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$1.key"; }
issue() { # name, issuer, extensions, subject
  key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$4" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days 36500 \
    -extfile openssl.cnf -extensions "$3" -out "$1.pem"
}
own_root() { # name
  key "$1"
  openssl req -x509 -new -config openssl.cnf -extensions ca -key "$1.key" -subj '/CN=Fixture root' -days 36500 \
    -out "$1.pem"
}
own_root root
issue ca root ca 'Fixture CA'
issue tsa ca tsa 'Fixture authority'
own_root stranger

printf 'tallystick.example/fixture/0\n2\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n' > stamped
echo 1000 > serial
openssl ts -query -data stamped -sha256 -cert -out query.tsq
openssl ts -query -data stamped -sha256 -out bare.tsq
openssl ts -query -data stamped -sha512 -cert -out sha512.tsq
reply() { # name, query, section, signer
  openssl ts -reply -config openssl.cnf -section "$3" -queryfile "$2" -signer "$4.pem" -inkey "$4.key" \
    -chain ca.pem -out "$1.tsr"
}
reply good query.tsq good tsa
reply silent query.tsq silent tsa
reply inaccurate query.tsq inaccurate tsa
reply sha1-certificate-id query.tsq sha1 tsa
reply sha1-signature query.tsq weak tsa
reply no-certificates bare.tsq good tsa
reply sha512-imprint sha512.tsq good tsa
printf 'not a question' > junk.tsq
bare_reply() { # name, query
  openssl ts -reply -config openssl.cnf -section good -queryfile "$2" -signer tsa.pem -inkey tsa.key -out "$1.tsr"
}
bare_reply no-chain query.tsq
bare_reply not-granted junk.tsq
openssl ts -verify -data stamped -in good.tsr -CAfile root.pem
rm -f ./*.key ./*.csr ./*.srl ./*.tsq serial* openssl.cnf ca.pem tsa.pem
