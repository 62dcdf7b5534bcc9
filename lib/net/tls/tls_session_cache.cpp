#include "tls_session_cache.hpp"

#include <algorithm>
#include <utility>

namespace weft::net_detail {

void tls_session_cache::store(const std::string& origin, session_ptr session)
{
    if (!SSL_SESSION_is_resumable(session.get())) return;
    const std::lock_guard lock{mutex_};
    entries_[origin] = {std::move(session), ++stored_};
    if (entries_.size() <= sessions_max_) return;
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
        return a.second.stored < b.second.stored;
    }));
}

session_ptr tls_session_cache::find(const std::string& origin) const
{
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(origin);
    if (found == entries_.end()) return nullptr;
    SSL_SESSION_up_ref(found->second.session.get());
    return session_ptr{found->second.session.get()};
}

void tls_session_cache::erase(const std::string& origin)
{
    const std::lock_guard lock{mutex_};
    entries_.erase(origin);
}

std::size_t tls_session_cache::size() const
{
    const std::lock_guard lock{mutex_};
    return entries_.size();
}

}  // namespace weft::net_detail
