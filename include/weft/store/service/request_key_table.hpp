#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

/** What is known of a request with an idempotency key. */
enum class request_key_state : std::uint8_t {
    fresh,    ///< It comes for the first time: its caller carries it out.
    running,  ///< Another caller is at it.
    done,     ///< It was carried out; `request_key_claim::result` is what came of it.
};

struct request_key_claim {
    request_key_state state = request_key_state::fresh;
    std::string result;      ///< A JSON object, if `state` is `done`.
    std::string note = "{}"; ///< What its caller has noted: of `fresh` the own one, or that of a process that has died.
    bool is_left = false;    ///< Of `fresh`: a process has died with the key, and may have carried the request out.
    std::uint64_t revision = 0;  ///< Of `done`: for `retake`.
};

/** Keeps the idempotency keys of requests in a `document_store`: of requests with one key one is carried out, and the
 *  others get its result, also after a crash and in other processes.
 *
 *      const request_key_claim claimed = co_await keys.claim("acme", key, 24h);
 *      if (claimed.state == request_key_state::fresh) …
 *
 *  A key ends with its lifetime: then it is as if it had never been there. A process that dies while it carries a
 *  request out leaves it `running` until then.
 *
 *  @par Errors          As `document_store`.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class request_key_table {
public:
    explicit request_key_table(document_store& documents) noexcept : documents_{documents} {}

    /** Takes a key, unless another request has it.
     *  @param lifetime   From now.
     *  @param note       A JSON object that the others of the key get while the request is carried out, and the next
     *                    one that takes the key if this process dies with it. */
    [[nodiscard]] task<request_key_claim> claim(std::string tenant, std::string key,
                                                std::chrono::milliseconds lifetime, std::string note = "{}");
    /** Takes a key that is `done`, and whose result does not count any more.
     *  @param revision   Of the claim that has said so.
     *  @return           False: another request was faster; `claim` tells what it does. */
    [[nodiscard]] task<bool> retake(std::string tenant, std::string key, std::uint64_t revision,
                                    std::chrono::milliseconds lifetime, std::string note = "{}");
    /** Notes what came of the request of a key. @param result  A JSON object. @param lifetime  From now. */
    [[nodiscard]] task<void> settle(std::string tenant, std::string key, std::string result,
                                    std::chrono::milliseconds lifetime);
    /** Gives a key back: the request was not carried out, and the next one of this key may be. */
    [[nodiscard]] task<void> release(std::string tenant, std::string key);
    /** Removes keys whose lifetime is over. @return How many; at most `count_max`. */
    [[nodiscard]] task<std::size_t> sweep(std::size_t count_max);

private:
    document_store& documents_;
};

}  // namespace weft
