#include <weft/async/join.hpp>

namespace weft {

task<void> join(std::vector<task<void>> work)
{
    const task_context& context = co_await this_task::context();
    async_detail::child_group group{context};
    std::vector<async_detail::branch<void>> branches = async_detail::branches_of(std::move(work));
    for (auto& branch : branches) async_detail::start_joined(group, branch);
    co_await group.wait();
    group.rethrow();
}

}  // namespace weft
