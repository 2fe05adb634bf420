// The kernels by their names, with arguments as they come from outside.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace shim {

using Arguments = std::vector<u64>;  // addresses, and numbers of 32 bits
using Binding = std::function<std::function<void()>(const Arguments&)>;

template <typename... P, size_t... I>
Binding binding(void (*kernel)(P...), std::index_sequence<I...>) {
  return [kernel](const Arguments& arguments) -> std::function<void()> {
    if (arguments.size() != sizeof...(P)) fail("a kernel has other parameters");
    return [kernel, arguments] { kernel((P)arguments[I]...); };
  };
}

template <typename... P>
Binding binding(void (*kernel)(P...)) {
  return binding(kernel, std::index_sequence_for<P...>());
}

// A thread of a launch.
inline std::function<void()> bound(const std::string& name, const Arguments& arguments) {
#define NAMED(kernel) {#kernel, binding(kernel)}
  static const std::map<std::string, Binding> KERNELS = {
      NAMED(sha256_strided), NAMED(sha256),       NAMED(keccak256),        NAMED(rfc9162_subtrees),
      NAMED(trie_number),    NAMED(trie_attach),  NAMED(trie_clear),       NAMED(trie_reserve),
      NAMED(trie_expand),    NAMED(trie_insert),  NAMED(trie_lock_insert), NAMED(trie_mark),
      NAMED(trie_hash),      NAMED(trie_find),    NAMED(trie_proof_sizes), NAMED(trie_proofs)};
#undef NAMED
  auto found = KERNELS.find(name);
  if (found == KERNELS.end()) fail("no such kernel");
  return found->second(arguments);
}

}  // namespace shim
