#pragma once

#include <weft/async/task.hpp>
#include <weft/net/secret_string.hpp>

#include <utility>

namespace weft {

/** Where a model gets its key from when the key changes: a token that expires, a secret that is rotated.
 *
 *      weft::openai_model_options options;
 *      options.credentials = std::make_shared<weft::refreshing_key>(fetch_token);
 *
 *  Every call asks for the key that counts now. When the endpoint answers 401, the call asks once for another one, and
 *  if there is one, it is made once more; nothing of a reply has come by then.
 *
 *  @par Thread safety   From any loop, unless a source says otherwise.
 *  @par Lifetimes       The source outlives the calls; models share it.
 */
class credential_source {
public:
    virtual ~credential_source() = default;

    /** The key to send now.
     *
     *  @par Errors   What the source says; it ends the call as a `model_error` in `model_phase::request`. */
    [[nodiscard]] task<secret_string> current() { return do_current(); }

    /** The key to send in place of one that the endpoint refused with 401.
     *
     *  @return       Another key, or an empty one if there is none.
     *  @par Errors   As `current`. */
    [[nodiscard]] task<secret_string> refresh(secret_string refused) { return do_refresh(std::move(refused)); }

protected:
    credential_source() = default;
    credential_source(const credential_source&) = default;
    credential_source& operator=(const credential_source&) = default;

private:
    [[nodiscard]] virtual task<secret_string> do_current() = 0;
    [[nodiscard]] virtual task<secret_string> do_refresh(secret_string refused) = 0;
};

}  // namespace weft
