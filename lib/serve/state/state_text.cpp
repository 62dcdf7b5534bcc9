#include "state_text.hpp"

#include "state_pieces.hpp"
#include "state_wire.hpp"

#include <weft/async/task/yield_now.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

constexpr value_json for_clients{&value_for_client, &item_for_client};

}  // namespace

task<void> append_state_text(std::string& out, state of)
{
    state_pieces pieces{std::move(of), for_clients};
    while (!pieces.write(out, state_slice_bytes)) co_await yield_now();
}

task<std::string> state_text(state of)
{
    std::string text;
    co_await append_state_text(text, std::move(of));
    co_return text;
}

std::optional<std::string> short_state_text(const state& of, std::size_t bytes_max)
{
    state_pieces pieces{of, for_clients};
    std::string text;
    // A piece of many small items ends before it has its bytes.
    while (!pieces.write(text, bytes_max + 1 - text.size()))
        if (text.size() > bytes_max) return std::nullopt;
    if (text.size() > bytes_max) return std::nullopt;
    return text;
}

}  // namespace weft::serve_detail
