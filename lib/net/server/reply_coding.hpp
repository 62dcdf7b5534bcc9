#pragma once

#include <weft/async/task.hpp>
#include <weft/net/options/http_server_options.hpp>
#include <weft/net/server/http_reply.hpp>
#include <weft/net/text/http_headers.hpp>

#include <cstddef>

namespace weft::net_detail {

/** How many answers of a server are compressed at the same time; further ones go out as they are. */
inline constexpr std::size_t compressions_max = 32;

/** True if an answer is compressed for clients that accept it: its body is long, of a type that gains by it, and its
 *  headers do not speak of these very bytes, as `Content-Encoding`, `Content-Range` and a strong `ETag` do. */
[[nodiscard]] bool is_compressible(const http_reply& answer, const http_server_options& options);

/** Compresses the body of an answer that is compressible, if its client accepts that. Headers of the answer say what
 *  was done, and that it depends on the client. Long bodies are compressed in slices, between which the loop has its
 *  turn.
 *
 *  @param answer    Outlives the task.
 *  @param request   The headers of the request; outlive the task.
 *  @param open      How many answers are being compressed, this one excepted; outlives the task.
 *
 *  @par Errors   `errc::cancelled`; `std::bad_alloc`. The answer is then as it was, but for `Vary`. */
[[nodiscard]] task<void> code_reply(http_reply& answer, const http_headers& request, int level, std::size_t& open);

}  // namespace weft::net_detail
