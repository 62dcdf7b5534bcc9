#pragma once

#include "credential.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/store/service/api_key_table.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** Ends what stays open when its caller may not have it any more: a key was revoked, a token has expired.
 *
 *  Every two seconds it looks into the store, once for each key that has something open.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Loop and documents outlive it, and it its tasks. */
class access_watch {
    struct open_answers;

public:
    using problem_function = std::function<void(std::string_view what)>;
    /** Told once why it ends; must not wait. */
    using end_function = std::function<void(const std::string& why)>;

    /** Something that is open, as long as it lives. */
    class place {
    public:
        place(std::shared_ptr<open_answers> among, credential by, end_function at_end);
        ~place();
        place(const place&) = delete;
        place& operator=(const place&) = delete;

        /** Why it has ended; empty while it may go on. */
        [[nodiscard]] const std::string& why() const noexcept { return why_; }

    private:
        friend class access_watch;
        void end(const std::string& why);

        std::shared_ptr<open_answers> among_;
        credential by_;
        end_function at_end_;
        std::string why_;
    };

    access_watch(serial_loop& loop, document_store& documents, problem_function problem);

    [[nodiscard]] std::unique_ptr<place> enter(credential by, end_function at_end);
    /** Ends all that a credential of this kind and name has open. */
    void end_all(credential::kind what, const std::string& name, const std::string& why);
    /** Ends all whose credential does not pass. */
    void end_unless(const std::function<bool(const credential& by)>& passes, const std::string& why);
    /** How much is open. */
    [[nodiscard]] std::size_t size() const noexcept;

    /** Looks at what is open until it is stopped. */
    [[nodiscard]] task<void> work();

private:
    [[nodiscard]] task<void> look();

    serial_loop& loop_;
    api_key_table keys_;
    problem_function problem_;
    std::shared_ptr<open_answers> open_;
};

}  // namespace weft::serve_detail
