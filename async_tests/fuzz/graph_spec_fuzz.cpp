// Fuzzes the reader of graph files: whatever the text, it ends with a graph or with mistakes that have places in it,
// and what is read is written and read as the same.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/graph_spec_fuzz.cpp …

#include "graph_file_fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    return fuzz_graph_file(data, size, weft::graph_file_format::json);
}
